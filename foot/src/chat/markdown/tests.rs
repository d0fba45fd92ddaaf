use proptest::prelude::*;

use super::*;

fn render(pieces: &[&str]) -> String {
    let mut markdown = Markdown::default();
    let mut out: String = pieces.iter().map(|piece| markdown.push(piece)).collect();
    out.push_str(&markdown.finish());
    out
}

/// With `‹b›` for bold and so on.
#[track_caller]
fn check(text: &str, expect: &str) {
    let names = [(RESET, "‹/›"), (BOLD, "‹b›"), (DIM, "‹d›"), (CODE, "‹c›"), (ITEM, "‹i›")];
    let got = names.iter().fold(render(&[text]), |text, (code, name)| text.replace(code, name));
    assert_eq!(got, expect);
}

fn plain(mut text: String) -> String {
    for code in [RESET, BOLD, DIM, CODE, ITEM] {
        text = text.replace(code, "");
    }
    text
}

#[test]
fn blocks_are_coloured() {
    check("# Title\ntext\n", "‹b›# Title‹/›\ntext\n");
    check("####### no\n#no\n", "####### no\n#no\n");
    check(
        "- a\n  * b\n12. c\n> d\n-e\n1.5\n",
        "‹i›-‹/› a\n‹i›  *‹/› b\n‹i›12.‹/› c\n‹i›>‹/› d\n-e\n1.5\n",
    );
    check(
        "```rust\nlet a = **b;\n# no\n```\n**x**\n",
        "‹d›```rust‹/›\n‹c›let a = **b;‹/›\n‹c›# no‹/›\n‹d›```‹/›\n‹b›**x**‹/›\n",
    );
    check("````\n```\n````\nx", "‹d›````‹/›\n‹d›```‹/›\n‹d›````‹/›\nx");
}

#[test]
fn words_are_coloured() {
    check("a **b** c", "a ‹b›**b**‹/› c");
    check("2 ** 3 * 4", "2 ** 3 * 4");
    check("a `b*c` d", "a ‹c›`b*c`‹/› d");
    check("**a `b` c**", "‹b›**a ‹/›‹b›‹c›`b`‹/›‹b› c**‹/›");
    check("an open `code\nnext", "an open ‹c›`code‹/›\nnext");
    check("end *", "end *");
}

proptest! {
    #[test]
    fn the_text_is_the_text(
        pieces in prop::collection::vec("[a-c*`#~>\\- 1.)\n\r]{0,8}", 0..12),
    ) {
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let whole = pieces.concat();
        let cut = render(&pieces);
        prop_assert_eq!(plain(cut.clone()), whole.clone());
        // Where the pieces are cut does not matter.
        prop_assert_eq!(cut, render(&[&whole]));
    }
}
