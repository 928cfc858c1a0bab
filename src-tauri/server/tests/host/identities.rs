//! Tokens of an identity provider (`OpenID` Connect): whom a host lets in, as what, and to whose data.

use std::sync::Arc;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use axum::routing::get;
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use crate::process::{Data, Host, JsonBody as _, read};
use crate::tenants::{Tenant, fixed_flow};

/// A time that has not come yet: the year 2100, in seconds.
const LATER: i64 = 4_102_444_800;

/// A provider with one key. It ends with the test.
struct Provider {
    issuer: String,
    pkcs8: Arc<[u8]>,
}

impl Provider {
    async fn start() -> Self {
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &SystemRandom::new()).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref()).unwrap();
        // An uncompressed point: a byte, then both coordinates.
        let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
        let [x, y] = [x, y].map(|coordinate| URL_SAFE_NO_PAD.encode(coordinate));
        let key = json!({ "kty": "EC", "crv": "P-256", "kid": "one", "use": "sig", "x": x, "y": y });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let discovery = json!({ "issuer": issuer, "jwks_uri": format!("{issuer}/keys") });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(async move || Json(discovery)))
            .route("/keys", get(async move || Json(json!({ "keys": [key] }))));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { issuer, pkcs8: pkcs8.as_ref().into() }
    }

    /// What it says of Ann, who is in these groups, for an audience.
    fn claims(&self, audience: &str, groups: &[&str]) -> Value {
        json!({
            "iss": self.issuer, "aud": audience, "sub": "user-1", "exp": LATER,
            "email": "ann@example.com", "groups": groups,
        })
    }

    fn sign(&self, claims: &Value) -> String {
        let header = Header { kid: Some("one".to_owned()), ..Header::new(Algorithm::ES256) };
        encode(&header, claims, &EncodingKey::from_ec_der(&self.pkcs8)).unwrap()
    }

    fn add(&self, data: &Data, name: &str, audience: &str, more: &[&str]) {
        let add = ["identities", "add", name, "--issuer", &self.issuer, "--audience", audience];
        data.execute(&[&add, more].concat());
    }
}

async fn call(host: &Host<'_>, token: &str, command: &str, args: Value) -> (StatusCode, Value) {
    let request = Client::new().post(format!("{}/commands/{command}", host.url)).bearer_auth(token);
    read(request.json_body(&args).send().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn groups_of_an_identity_have_roles_and_its_audience_leads_to_a_tenant() {
    let (data, provider) = (Data::new(), Provider::start().await);
    let acme = Tenant::add(&data, "acme");
    data.flow("own.flow.json", &fixed_flow("default"));
    acme.flow("theirs.flow.json", &fixed_flow("acme"));
    let host = data.serve();
    let token = |audience: &str, groups: &[&str]| provider.sign(&provider.claims(audience, groups));
    let reads = async |token: String, file: &str| {
        call(&host, &token, "flow.read", json!({ "path": file })).await.0.as_u16()
    };
    let (own, theirs) = ("own.flow.json", "theirs.flow.json");
    assert_eq!(reads(token("plait", &["staff"]), own).await, 401, "the provider is not known yet");
    // A host that runs knows of them at once.
    provider.add(&data, "corp", "plait", &["--role", "staff=viewer", "--role", "owners=admin"]);
    provider.add(&data, "acme", "plait-acme", &["--tenant", "acme", "--everybody", "editor"]);
    let staff = || token("plait", &["guests", "staff"]);
    assert_eq!([reads(staff(), own).await, reads(staff(), theirs).await], [200, 404]);
    let member = || token("plait-acme", &[]);
    assert_eq!([reads(member(), own).await, reads(member(), theirs).await], [404, 200]);

    let settings = async |token: &str| {
        let patch = json!({ "patch": { "theme": "dark" } });
        let (status, reply) = call(&host, token, "settings.change", patch).await;
        (status.as_u16(), reply["error"]["code"].clone())
    };
    assert_eq!(settings(&token("plait", &["staff"])).await, (403, json!("host.forbidden")));
    assert_eq!(settings(&token("plait", &["staff", "owners"])).await, (200, Value::Null));
    assert_eq!(settings(&token("plait", &["guests"])).await, (403, json!("host.forbidden")));
    let last = data.audit().into_iter().rfind(|entry| entry["name"] == "ann@example.com").unwrap();
    assert_eq!((&last["role"], &last["tenant"]), (&json!("admin"), &json!("default")));
    assert!(last["token"].as_str().unwrap().starts_with("openid:"), "{last}");

    data.execute(&["identities", "rm", "corp"]);
    assert_eq!(reads(token("plait", &["owners"]), own).await, 401);
    assert_eq!(reads(member(), theirs).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_that_the_provider_did_not_make_for_the_host_are_refused() {
    let (data, provider, other) = (Data::new(), Provider::start().await, Provider::start().await);
    provider.add(&data, "corp", "plait", &["--role", "staff=admin"]);
    provider.add(&data, "more", "plait-more", &["--role", "staff=admin"]);
    let host = data.serve();
    let claims = provider.claims("plait", &["staff"]);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut changed = claims.clone();
        change(&mut changed);
        changed
    };
    let good = provider.sign(&claims);
    let board = async |token: &str| {
        read(Client::new().get(format!("{}/runs", host.url)).bearer_auth(token).send().await.unwrap()).await
    };
    assert_eq!(board(&good).await.0, 200);
    let [head, body, signature] = good.split('.').collect::<Vec<_>>()[..] else { panic!("{good}") };
    let encoded = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let shared = {
        let header = Header { kid: Some("one".to_owned()), ..Header::new(Algorithm::HS256) };
        encode(&header, &claims, &EncodingKey::from_secret(b"one")).unwrap()
    };
    let refused = [
        ("expired", provider.sign(&with(&|claims| claims["exp"] = json!(1)))),
        (
            "without an end",
            provider.sign(&with(&|claims| drop(claims.as_object_mut().unwrap().remove("exp")))),
        ),
        ("not yet in force", provider.sign(&with(&|claims| claims["nbf"] = json!(LATER)))),
        ("for others", provider.sign(&with(&|claims| claims["aud"] = json!("elsewhere")))),
        ("for two tenants", provider.sign(&with(&|claims| claims["aud"] = json!(["plait", "plait-more"])))),
        ("of another provider", provider.sign(&with(&|claims| claims["iss"] = json!(other.issuer)))),
        ("by the key of another provider", other.sign(&claims)),
        ("of nobody", provider.sign(&with(&|claims| drop(claims.as_object_mut().unwrap().remove("sub"))))),
        ("changed", format!("{head}.{}.{signature}", encoded(with(&|claims| claims["sub"] = json!("root"))))),
        ("without a signature", format!("{head}.{body}.")),
        ("without an algorithm", format!("{}.{body}.", encoded(json!({ "alg": "none", "typ": "JWT" })))),
        ("by a shared secret", shared),
        (
            "by an unknown key",
            format!("{}.{body}.{signature}", encoded(json!({ "alg": "ES256", "kid": "two" }))),
        ),
    ];
    for (what, token) in refused {
        let (status, reply) = board(&token).await;
        assert_eq!(
            (status.as_u16(), &reply["error"]["code"]),
            (401, &json!("host.unauthorized")),
            "{what}: {reply}"
        );
    }
}
