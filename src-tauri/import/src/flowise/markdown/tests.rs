use super::plain_text;

#[test]
fn html_of_the_editor_becomes_the_markdown_that_flowise_makes_of_it() {
    for (html, expected) in [
        ("<p>a</p><p>b</p>", "a\n\nb"),
        ("<p>a\n  b </p>", "a b"),
        ("<p>a<br>b</p>", "a  \nb"),
        ("<p>a<br></p><p>b</p>", "a  \n\nb"),
        ("<p><strong>a</strong> <em>b </em><code>c</code><s>d</s></p>", "**a** _b_ `c`d"),
        ("<h1>A</h1><h2>Bc</h2><h3>D</h3><p>e</p>", "A\n=\n\nBc\n--\n\n### D\n\ne"),
        ("<ul><li><p>a</p></li><li><p>b</p></li></ul>", "*   a\n    \n*   b"),
        ("<p>x</p><ol start=\"3\"><li>a</li><li>b</li></ol><p>y</p>", "x\n\n3.  a\n4.  b\n\ny"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "*   a\n    *   b\n*   c"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n> \n> b"),
        ("<pre><code>if x:\n  y</code></pre>", "    if x:\n      y"),
        (
            "<p><a href=\"https://a.b/?c=1&amp;d\">e</a></p><hr><p>f</p>",
            "[e](https://a.b/?c=1&d)\n\n* * *\n\nf",
        ),
        ("<p>&lt;x&gt; &amp;amp; 1 < 2</p>", "<x> &amp; 1 < 2"),
        ("<p><span class=\"variable\" data-id=\"a>b\">{{ q }}</span> </p>", "{{ q }}"),
        ("<p>open <strong>a", "open **a**"),
        ("<p></p>", ""),
    ] {
        assert_eq!(plain_text(html), expected, "{html}");
    }
}

#[test]
fn text_with_other_tags_stays_as_it_is() {
    for text in
        ["<task>\n do <b>it</b></task>", "a <p>b</p>", " a\n\n b\n", "<", "< p>", "<preface>x</preface>"]
    {
        assert_eq!(plain_text(text), text);
    }
}

#[test]
fn elements_in_many_others_take_little_time() {
    let text = format!("{}x", "<ul><li>".repeat(50_000));
    assert!(plain_text(&text).ends_with('x'));
}
