/**
 * Where the Importer of Obsidian, by its own tests, expects of a file something else than we make of it: each with the
 * reason why ours stands. Lines are those of `outline`.
 */

interface Difference {
  readonly note: string
  readonly theirs: string
  readonly ours: string
  readonly why: string
}

const underlined = "Underlined text stays so: Markdown has HTML for it"
const tagsAsWritten = "A tag is called as in Evernote: _ is no sign of levels there"
const named = "Images without a name are numbered in the order of the note, whatever they are"
const plainQuote = "Words of a quote that look like the sign of a callout are words in Notion"
const asLabelled = "A link says what it says in Notion"

export const differ: ReadonlyArray<Difference> = [
  {
    note: "note-link-without-title/Links to it",
    theirs:
      "Showing nothing at all:[evernote:///view/1000/s1/33333333-3333-3333-3333-333333333333/33333333-3333-3333-3333-333333333333/](evernote:///view/1000/s1/33333333-3333-3333-3333-333333333333/33333333-3333-3333-3333-333333333333/)",
    ours: "Showing nothing at all: [evernote:///view/1000/s1/33333333-3333-3333-3333-333333333333/33333333-3333-3333-3333-333333333333/](evernote:///view/1000/s1/33333333-3333-3333-3333-333333333333/33333333-3333-3333-3333-333333333333/)",
    why: "The space before a link stays"
  },
  {
    note: "test-internotebook_links_B/Note in Notebook B",
    theirs: "Reference to [Note in Notebook A](→Note in Notebook A)",
    ours: "Reference to [Note in Notebook A](evernote:///view/10000000/s150/914ba57d-d5e6-4ef5-ba5b-b9134529c188/914ba57d-d5e6-4ef5-ba5b-b9134529c188/)",
    why: "The note is not in this file: a link that would lead nowhere stays as it was, which is told"
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
    why: "The line has a check box, in letters that are bold"
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
    why: "A toggle can still be folded: Markdown has HTML for it"
  },
  {
    note: "Block Reference",
    theirs: "> [!note] This is a callout block with an emoji icon…",
    ours: "> [!note] 💡 This is a callout block with an emoji icon…",
    why: "The sign of a callout stays"
  },
  {
    note: "Block Reference",
    theirs:
      "> [!info] Cat\n> The cat, also referred to as the domestic cat or *\n> [https://w.wiki/Wz6](https://w.wiki/Wz6)",
    ours: "[Cat](https://w.wiki/Wz6)\nThe cat, also referred to as the domestic cat or *",
    why: "A bookmark is a link with all of its description, and not its first sentence"
  },
  {
    note: "Block Reference",
    theirs: "[![](https://upload.wikimedia.org/*",
    ours: "![](https://upload.wikimedia.org/*",
    why: "An image that leads to itself is an image"
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
    why: "Code is what it was: nothing in it is escaped"
  },
  {
    note: "Formatting Tests",
    theirs: "$$\\mathrm{abs}(x)=|x| =\\begin{cases} -x : & x \\lt 0 \\\\ x : & x\\ge 0 \\end{cases}$$",
    ours: "$$\\ \\\\\\mathrm{abs}(x)=|x| =\\begin{cases} -x : & x \\lt 0 \\\\ x : & x\\ge 0 \\end{cases}\\\\$$",
    why: "Empty lines of a formula are lines: only the space at its end, which would break it, goes"
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
    why: "A property says what it says in Notion, in whose language a date is written"
  }
]

/** What stands for the same in both: so often in all. */
export const instead = [
  {
    theirs: "[!important]",
    ours: "[!note]",
    times: 13,
    why: "A callout of Notion is of no kind: a note is the least that it can be"
  }
]

/**
 * Notes whose text was written anew in their copy of the file: names of people are others. Such lines are compared by how
 * they begin. (That no word of a file is lost in ours is tested with all files in `Enex.test.ts`.)
 */
export const rewritten: ReadonlyArray<{ readonly note: string; readonly lines: number }> = [
  { note: "test_legacy/test", lines: 6 }
]

/** Words of theirs that ours have not, one by one; those of `instead` and `rewritten` apart. */
export const lost: ReadonlyArray<{ readonly note: string; readonly words: string; readonly why: string }> = [
  {
    note: "test-internotebook_links_B/Note in Notebook B",
    words: "Note in Notebook A",
    why: "The title stands there once, and not again as an address"
  },
  {
    note: "test-image-dataUrl/test - image - dataUrl",
    words: "A Photographer photographer",
    why: "The name was put in its place in their copy of the file"
  },
  {
    note: "Block Reference",
    words: "info w wiki Wz6 https",
    why: "The kind of the callout; the address stands there once"
  },
  {
    note: "Block Reference",
    words:
      "https upload wikimedia org wikipedia commons thumb b b6 Felis catus on snow jpg 2560px Felis catus on snow jpg",
    why: "The address of the image stands there once"
  },
  { note: "database-row", words: "03 01", why: "March 1 in numbers" }
]
