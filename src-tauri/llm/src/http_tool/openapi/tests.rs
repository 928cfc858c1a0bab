#![allow(clippy::needless_pass_by_value, reason = "values are written in place")]

use super::*;
use crate::tool::ToolEffect;

fn import_document(document: Value) -> Result<Vec<ToolSpec>, String> {
    import(&OpenApiImport { document, ..OpenApiImport::default() })
}

fn pets() -> Value {
    json!({
        "openapi": "3.0.3",
        "servers": [{ "url": "https://{region}.pets.test/v1/", "variables": { "region": { "default": "eu" } } }],
        "paths": {
            "/pets/{petId}": {
                "parameters": [{ "$ref": "#/components/parameters/PetId" }],
                "get": {
                    "operationId": "getPet",
                    "summary": "Gets a pet.",
                    "parameters": [
                        { "name": "fields[]", "in": "query", "schema": { "type": "array", "items": { "type": "string" } } },
                        { "name": "X-Trace", "in": "header", "description": "For logs." },
                        { "name": "session", "in": "cookie", "schema": { "type": "string" } },
                    ],
                },
                "put": {
                    "operationId": "savePet",
                    "requestBody": {
                        "required": true,
                        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } },
                    },
                },
            },
            "/photos": { "post": { "requestBody": { "content": { "image/png": {} } } } },
        },
        "components": {
            "parameters": { "PetId": { "name": "petId", "in": "path", "required": true, "schema": { "type": "integer" } } },
            "schemas": {
                "Pet": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {
                        "name": { "type": "string", "nullable": true, "example": "Rex" },
                        "age": { "type": "number", "minimum": 0, "exclusiveMinimum": true },
                        "example": { "type": "string" },
                        "parent": { "$ref": "#/components/schemas/Pet" },
                    },
                },
            },
        },
    })
}

#[test]
fn operations_become_tools() {
    let tools = import_document(pets()).expect("imported");
    assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["getPet", "savePet"]);
    assert_eq!(tools[0].description, "Gets a pet.");
    assert_eq!((tools[0].effect, tools[1].effect), (ToolEffect::Send, ToolEffect::Write));
    assert_eq!(
        tools[0].binding,
        json!({
            "method": "GET",
            "url": "https://eu.pets.test/v1/pets/{{petId}}",
            "query": { "fields[]": "{{fields}}" },
            "headers": { "X-Trace": "{{X-Trace}}" },
        })
    );
    assert_eq!(
        tools[0].parameters,
        json!({
            "type": "object",
            "properties": {
                "petId": { "type": "integer" },
                "fields": { "type": "array", "items": { "type": "string" } },
                "X-Trace": { "type": "string", "description": "For logs." },
            },
            "required": ["petId"],
            "additionalProperties": false,
        })
    );
    assert_eq!(
        tools[1].parameters["properties"]["body"],
        json!({
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": { "type": ["string", "null"] },
                "age": { "type": "number", "exclusiveMinimum": 0 },
                "example": { "type": "string" },
                "parent": {},
            },
        })
    );
    assert_eq!(tools[1].binding["body"], "{{body}}");
}

#[test]
fn operations_can_be_chosen() {
    let chosen = |operations: &[&str]| {
        let operations = operations.iter().map(|&name| name.to_owned()).collect();
        let source = OpenApiImport { document: pets(), operations, ..OpenApiImport::default() };
        import(&source).map(|tools| tools.into_iter().map(|tool| tool.name).collect::<Vec<_>>())
    };
    assert_eq!(chosen(&["PUT /pets/{petId}"]), Ok(vec!["savePet".to_owned()]));
    assert!(chosen(&["getCat"]).unwrap_err().contains("`getCat`"));
    assert!(chosen(&["POST /photos"]).unwrap_err().contains("takes no JSON"));
}

#[test]
fn documents_that_are_none_are_refused() {
    for (document, message) in [
        (json!({}), "not an OpenAPI document"),
        (json!("{"), "not JSON"),
        (json!({ "swagger": "2.0" }), "Swagger 2"),
        (json!({ "openapi": "4.0.0" }), "OpenAPI 4.0.0"),
        (json!({ "openapi": "3.1.0", "paths": {} }), "names no server"),
        (json!({ "openapi": "3.1.0", "servers": [{ "url": "/v1" }], "paths": {} }), "names no server"),
        (
            json!({ "openapi": "3.1.0", "servers": [{ "url": "https://a.test/{v}" }], "paths": {} }),
            "has a variable",
        ),
        (json!({ "openapi": "3.1.0", "servers": [{ "url": "https://a.test" }] }), "no `paths`"),
    ] {
        let error = import_document(document).expect_err("refused");
        assert!(error.contains(message), "{error}");
    }
}

/// A document with one operation and this schema of its body.
fn with_body(schema: Value, schemas: Value) -> Value {
    json!({
        "openapi": "3.1.0",
        "servers": [{ "url": "https://a.test" }],
        "paths": { "/x": { "post": { "requestBody": { "content": { "application/json": { "schema": schema } } } } } },
        "components": { "schemas": schemas },
    })
}

#[test]
fn hostile_documents_end_with_a_message() {
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let circle = with_body(reference("A"), json!({ "A": reference("B"), "B": reference("A") }));
    assert!(import_document(circle).is_ok());
    // Each level refers twice to the next: 2⁴⁰ values.
    let mut schemas = Map::new();
    for level in 0..40 {
        let next = reference(&format!("L{}", level + 1));
        schemas.insert(format!("L{level}"), json!({ "anyOf": [next.clone(), next] }));
    }
    schemas.insert("L40".to_owned(), json!({}));
    assert!(
        import_document(with_body(reference("L0"), schemas.into()))
            .unwrap_err()
            .contains("more than 5000 values")
    );
    let choices: Vec<_> = (0..6_000).collect();
    let large = with_body(json!({ "enum": choices }), json!({}));
    assert!(import_document(large).unwrap_err().contains("more than 5000 values"));
    let outside = with_body(json!({ "$ref": "https://evil.test/schema.json" }), json!({}));
    assert!(import_document(outside).unwrap_err().contains("another document"));
    let missing = with_body(reference("None"), json!({}));
    assert!(import_document(missing).unwrap_err().contains("There is no"));
    let no_schema = with_body(json!({ "type": "text" }), json!({}));
    assert!(import_document(no_schema).unwrap_err().contains("POST /x"));
    let paths: Map<_, _> = (0..300).map(|n| (format!("/{n}"), json!({ "get": {} }))).collect();
    let many = json!({ "openapi": "3.1.0", "servers": [{ "url": "https://a.test" }], "paths": paths });
    assert!(import_document(many).unwrap_err().contains("more than 200 operations"));
    let itself = with_body(json!({ "$ref": "#" }), json!({}));
    assert!(import_document(itself).is_ok());
    let too_large = Value::String(" ".repeat(MAX_DOCUMENT_BYTES + 1));
    assert!(import_document(too_large).unwrap_err().contains("larger than"));
}

#[test]
fn equal_names_are_numbered() {
    let document = json!({
        "openapi": "3.1.0",
        "servers": [{ "url": "https://a.test" }],
        "paths": { "/a": { "get": { "operationId": "same" } }, "/b": { "get": { "operationId": "same" } }, "/c/{d}": { "get": {} } },
    });
    let names: Vec<_> =
        import_document(document).expect("imported").into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["same", "same_2", "get_c___d"]);
}
