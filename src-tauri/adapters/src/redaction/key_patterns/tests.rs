use super::*;
use proptest::prelude::*;

fn names(text: &str) -> Vec<(&'static str, &str)> {
    scan(text, Preceding::default())
        .matches
        .into_iter()
        .map(|found| (found.name, &text[found.range]))
        .collect()
}

/// A text of `length` letters and digits.
fn body(length: usize) -> String {
    "a1B2c3D4e5F6g7H8j9K0".chars().cycle().take(length).collect()
}

const PEM: &str = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n\
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n\
    MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\nNMoSfm76\n-----END RSA PRIVATE KEY-----";

#[test]
fn scan_finds_every_published_form() {
    for (key, name) in [
        (format!("sk-proj-{}_-T3BlbkFJ{}", body(58), body(58)), "OpenAI key"),
        (format!("sk-svcacct-{}", body(100)), "OpenAI key"),
        (format!("sk-{}", body(48)), "API key"),
        (format!("sk-ant-api03-{}-AA", body(90)), "Anthropic key"),
        (format!("sk-or-v1-{}", "0123456789abcdef".repeat(4)), "OpenRouter key"),
        (format!("AIza{}", body(35)), "Google key"),
        (format!("ghp_{}", body(36)), "GitHub token"),
        (format!("gho_{}", body(36)), "GitHub token"),
        (format!("github_pat_{}_{}", body(22), body(59)), "GitHub token"),
        (format!("glpat-{}", body(20)), "GitLab token"),
        ("xoxb-123456789012-1234567890123-a1B2c3D4e5F6g7H8j9K0a1B2".to_owned(), "Slack token"),
        ("AKIAIOSFODNN7EXAMPLE".to_owned(), "AWS key"),
        (format!("hf_{}", body(34)), "Hugging Face token"),
        (format!("gsk_{}", body(52)), "Groq key"),
        (format!("xai-{}", body(80)), "xAI key"),
        (format!("sk_live_{}", body(24)), "Stripe key"),
        (format!("npm_{}", body(36)), "npm token"),
        (
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9".to_owned(),
            "JSON web token",
        ),
        (PEM.to_owned(), "private key"),
        (PEM.replace('\n', "\\n"), "private key"),
        (PEM.replace('\n', "\r\n"), "private key"),
    ] {
        for text in [key.clone(), format!("key={key}, more"), format!("\"{key}\""), format!("a\\n{key}\n")] {
            assert_eq!(names(&text), [(name, key.as_str())], "{text}");
        }
        let hidden = key.replacen('a', "a\u{200b}\u{2060}", 3);
        assert_eq!(names(&hidden), [(name, hidden.as_str())], "{hidden}");
    }
}

#[test]
fn scan_leaves_ordinary_text_alone() {
    for text in [
        "a risk-based approach; the task-oriented desk-research of 2024",
        "sk-learn, sk-2024-annual-report-of-the-slovak-national-library",
        "Keys begin with sk-proj- or sk-ant-api03-, tokens with ghp_ or xoxb-.",
        "sk-proj-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx is a placeholder",
        "AKIA is a prefix, AKIAbcdefghijklmnop is a word",
        "AKIAIOSFODNN7EXAMPLEandmore",
        "half_a1B2c3D4e5F6g7H8j9K0a1B2c3D4e5F6",
        "eyJhbGciOiJIUzI1NiJ9 is the header {\"alg\":\"HS256\"}",
        "A file begins with -----BEGIN RSA PRIVATE KEY----- and then comes base64.",
        "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END CERTIFICATE-----",
        "3f786850e387550fdab836ed7e6dc881de23001b, 018f4d2c-7f3a-7c4e-9f0e-3a2b1c4d5e6f",
    ] {
        assert_eq!(names(text), [], "{text}");
    }
}

#[test]
fn private_key_ends_with_its_last_line() {
    let text = format!("{PEM}\nThis is ordinary text again.");
    assert_eq!(names(&text), [("private key", PEM)]);
    let cut = &PEM[..PEM.len() - 40];
    assert_eq!(names(&format!("{cut}\n\nThis is ordinary text.")).len(), 1);
    assert_eq!(scan(cut, Preceding::default()).open_from, Some(0), "more may follow");
}

#[test]
fn scan_reports_where_a_key_may_start() {
    let long = format!("see sk-ant-{}", body(10));
    for (text, open) in [
        ("ordinary text", None),
        ("see s", Some(4)),
        ("see sk-pro", Some(4)),
        (long.as_str(), Some(4)),
        ("task", None),
        ("a -----BEG", Some(2)),
        ("a -----BEGIN RSA PRI", Some(2)),
        ("", None),
    ] {
        assert_eq!(scan(text, Preceding::default()).open_from, open, "{text}");
    }
    assert_eq!(scan("sk-pro", Preceding::default().then("a")).open_from, None, "the end of a word");
}

/// Texts made of prefixes must not make the search quadratic: the test would not end.
#[test]
fn texts_of_prefixes_are_scanned_in_linear_time() {
    for prefix in ["sk-proj-", "sk-", "AIza", "eyJ", "-----BEGIN ", "-----BEGIN RSA PRIVATE KEY-----\n"] {
        assert_eq!(names(&prefix.repeat((2 << 20) / prefix.len())).len(), 0, "{prefix}");
    }
}

proptest! {
    /// Words, numbers, identifiers, paths and links are no keys.
    #[test]
    fn scan_leaves_words_alone(
        words in proptest::collection::vec("[A-Za-zäöü]{1,14}|[0-9]{1,12}|[a-z]{1,8}([-_./][a-z0-9]{1,8}){1,5}|https://[a-z]{3,9}\\.[a-z]{2,3}/[a-z0-9/-]{0,30}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}|[A-Za-z0-9+/]{40}=", 1..40),
    ) {
        let text = words.join(" ");
        prop_assert_eq!(names(&text), []);
    }
}
