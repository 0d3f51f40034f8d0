/**
 * Differences between the expectations of Obsidian Importer's tests and the results of this service, each with the
 * reason. Lines are in the format of `outline`.
 */

interface Difference {
  readonly note: string
  readonly theirs: string
  readonly ours: string
  readonly why: string
}

const underlined = "Underlined text is kept: Markdown can contain HTML"
const tagsAsWritten = "A tag keeps its name from Evernote, where _ does not separate levels"
const named = "Images without a name are numbered in the order of the note, whatever their type is"
const plainQuote = "Words of a quote that look like a callout marker are plain words in Notion"
const asLabelled = "A link keeps its text from Notion"

export const differ: ReadonlyArray<Difference> = [
  {
    note: "note-link-without-title/Links to it",
    theirs:
      "Showing nothing at all:[evernote:///view/1000/s1/33333333-3333-3333-3333-333333333333/33333333-3333-3333-3333-333333333333/](evernote:///view/1000/s1/33333333-3333-3333-3333-333333333333/33333333-3333-3333-3333-333333333333/)",
    ours: "Showing nothing at all: [evernote:///view/1000/s1/33333333-3333-3333-3333-333333333333/33333333-3333-3333-3333-333333333333/](evernote:///view/1000/s1/33333333-3333-3333-3333-333333333333/33333333-3333-3333-3333-333333333333/)",
    why: "The space before a link is kept"
  },
  {
    note: "test-internotebook_links_B/Note in Notebook B",
    theirs: "Reference to [Note in Notebook A](→Note in Notebook A)",
    ours: "Reference to [Note in Notebook A](evernote:///view/10000000/s150/914ba57d-d5e6-4ef5-ba5b-b9134529c188/914ba57d-d5e6-4ef5-ba5b-b9134529c188/)",
    why: "The note is not in this file: a link without a target is kept, and reported"
  },
  {
    note: "Colors/Colors",
    theirs: "==Red highlighed red line==",
    ours: "==__Red highlighed red line__==",
    why: underlined
  },
  {
    note: "customfont/customfont",
    theirs: "Keeping the custom font and **_everything_**",
    ours: "Keeping the custom font and **___everything___**",
    why: underlined
  },
  {
    note: "text styles/text styles",
    theirs: "This is an underline text",
    ours: "__This is an underline text__",
    why: underlined
  },
  { note: "test_legacy/test", theirs: "Steps", ours: "__Steps__", why: underlined },
  {
    note: "test_legacy/test",
    theirs: "Target colleagues and other stakeholders",
    ours: "__Target colleagues and other stakeholders__",
    why: underlined
  },
  {
    note: "test-empty-en-todo/test-empty-en-todo",
    theirs: "tags: WorkLog,AU/RA",
    ours: "tags: WorkLog,AU_RA",
    why: tagsAsWritten
  },
  {
    note: "test-noteWithNestedTags/test -note with text only",
    theirs: "tags: tag1/nestedTag1,tag2/nestedTag2",
    ours: "tags: tag1_nestedTag1,tag2_nestedTag2",
    why: tagsAsWritten
  },
  {
    note: "test-empty-en-todo/test-empty-en-todo",
    theirs: "- Add view_post_X_forum variable",
    ours: "- [x] Add view_post_X_forum variable",
    why: "The line has a check box within bold text"
  },
  { note: "test-image-dataUrl/test - image - dataUrl", theirs: "{embedded.png}", ours: "{embedded 1.png}", why: named },
  {
    note: "test-image-dataUrl/test - image - dataUrl",
    theirs: "{embedded.svg} Photo by *",
    ours: "{embedded 2.svg} Photo by *",
    why: named
  },
  {
    note: "test-image-dataUrl/test - image - dataUrl",
    theirs: "{embedded 1.svg}",
    ours: "{embedded 3.svg}",
    why: named
  },
  {
    note: "test-image-dataUrl/test - image - dataUrl",
    theirs: "{embedded 2.svg}",
    ours: "{embedded 4.svg}",
    why: named
  },
  {
    note: "Block Reference",
    theirs: "- This is a toggle-list item…\n  …with hidden content!",
    ours: "<details><summary>This is a toggle-list item…</summary>\n…with hidden content!\n</details>",
    why: "A toggle can still be folded: Markdown can contain HTML"
  },
  {
    note: "Block Reference",
    theirs: "> [!note] This is a callout block with an emoji icon…",
    ours: "> [!note] 💡 This is a callout block with an emoji icon…",
    why: "The icon of a callout is kept"
  },
  {
    note: "Block Reference",
    theirs:
      "> [!info] Cat\n> The cat, also referred to as the domestic cat or *\n> [https://w.wiki/Wz6](https://w.wiki/Wz6)",
    ours: "[Cat](https://w.wiki/Wz6)\nThe cat, also referred to as the domestic cat or *",
    why: "A bookmark is a link with all of its description, not only its first sentence"
  },
  {
    note: "Block Reference",
    theirs: "[![](https://upload.wikimedia.org/*",
    ours: "![](https://upload.wikimedia.org/*",
    why: "An image that links to itself needs no link"
  },
  {
    note: "Formatting Tests",
    theirs: "> [!tip] Quote With `[!tip]` in Title",
    ours: "> \\[!tip] Quote With `[!tip]` in Title",
    why: plainQuote
  },
  {
    note: "Formatting Tests",
    theirs: "> > [!tip] Nested Callout-Quote",
    ours: "> > \\[!tip] Nested Callout-Quote",
    why: plainQuote
  },
  {
    note: "Formatting Tests",
    theirs: "  \\#abc",
    ours: "  #abc",
    why: "Nothing in code is escaped"
  },
  {
    note: "Formatting Tests",
    theirs: "$$\\mathrm{abs}(x)=|x| =\\begin{cases} -x : & x \\lt 0 \\\\ x : & x\\ge 0 \\end{cases}$$",
    ours: "$$\\ \\\\\\mathrm{abs}(x)=|x| =\\begin{cases} -x : & x \\lt 0 \\\\ x : & x\\ge 0 \\end{cases}\\\\$$",
    why: "Empty lines of a formula are kept; only the space at its end, which would break it, is removed"
  },
  ...["1590080aa5a380f7a294ee21d69095dc", "15b0080aa5a3805aba38c10161727d4c"].map((place) => ({
    note: "Formatting Tests",
    theirs: "[Formatting Tests](→Formatting Tests)",
    ours: `[https://www.notion.so/Formatting-Tests-1580080aa5a380d1b0c7c2f979343d88?pvs=4#${place}](→Formatting Tests)`,
    why: asLabelled
  })),
  {
    note: "database-row",
    theirs: "Bought: 2024-03-01",
    ours: "Bought: March 1, 2024",
    why: "A property keeps its text from Notion, which writes dates in words"
  }
]

/** Different text with the same meaning, and how often it occurs in total. */
export const instead = [
  {
    theirs: "[!important]",
    ours: "[!note]",
    times: 13,
    why: "Callouts of Notion have no kind: note is the most general one"
  }
]

/**
 * Notes whose text differs in their copy of the file: names of people were replaced. Such lines are compared by their
 * beginning. (`Enex.test.ts` tests with all files that no word is lost.)
 */
export const rewritten: ReadonlyArray<{ readonly note: string; readonly lines: number }> = [
  { note: "test_legacy/test", lines: 6 }
]

/** Words of theirs that ours lack, each with a reason, without those of `instead` and `rewritten`. */
export const lost: ReadonlyArray<{ readonly note: string; readonly words: string; readonly why: string }> = [
  {
    note: "test-internotebook_links_B/Note in Notebook B",
    words: "Note in Notebook A",
    why: "The title occurs once, and not again as an address"
  },
  {
    note: "test-image-dataUrl/test - image - dataUrl",
    words: "A Photographer photographer",
    why: "Their copy of the file has this name in place of another"
  },
  {
    note: "Block Reference",
    words: "info w wiki Wz6 https",
    why: "The kind of the callout; the address occurs once"
  },
  {
    note: "Block Reference",
    words:
      "https upload wikimedia org wikipedia commons thumb b b6 Felis catus on snow jpg 2560px Felis catus on snow jpg",
    why: "The address of the image occurs once"
  },
  { note: "database-row", words: "03 01", why: "March 1 in numbers" }
]
