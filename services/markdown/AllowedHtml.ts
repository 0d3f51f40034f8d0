import type { Schema } from "hast-util-sanitize"

/**
 * The allowed elements and attributes of a page. All others are removed before the tree is finished: elements that run,
 * load or style anything with their contents, other elements without them.
 */
export const allowed: Schema = {
  strip: [
    "script",
    "style",
    "template",
    "noscript",
    "iframe",
    "object",
    "embed",
    "svg",
    "math",
    "title",
    "textarea",
    "select",
    "video",
    "audio"
  ],
  tagNames: [
    ...["a", "abbr", "b", "blockquote", "br", "caption", "code", "dd", "del", "details", "div", "dl", "dt", "em"],
    ...["figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "input", "ins", "kbd", "li"],
    ...["mark", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "samp", "section", "small", "span", "strong", "sub"],
    ...["summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "u", "ul", "var"]
  ],
  attributes: {
    "*": ["dir", "lang"],
    a: ["ariaDescribedBy", "ariaLabel", "dataFootnoteBackref", "dataFootnoteRef", "href", "id", "title"],
    abbr: ["title"],
    blockquote: [["className", /^callout(?:-[a-z-]+)?$/]],
    code: [["className", /^language-./, "math-inline", "math-display"]],
    details: ["open", ["className", /^callout(?:-[a-z-]+)?$/]],
    h2: [["className", "sr-only"], "id"],
    img: ["alt", "height", "src", "title", "width", ["className", "sized"]],
    input: [["disabled", true], ["type", "checkbox"], "checked"],
    li: ["dataLine", "id", ["className", "task-list-item"]],
    ol: ["start", ["className", "contains-task-list"]],
    p: [["className", "callout-title"]],
    section: ["dataFootnotes", ["className", "footnotes"]],
    span: [["id", /^b-[A-Za-z0-9-]{1,100}$/]],
    summary: [["className", "callout-title"]],
    td: ["align", "colSpan", "rowSpan"],
    th: ["align", "colSpan", "rowSpan"],
    ul: [["className", "contains-task-list"]]
  },
  ancestors: Object.fromEntries(
    ["caption", "tbody", "td", "tfoot", "th", "thead", "tr"].map((name) => [name, ["table"]])
  ),
  required: { input: { disabled: true, type: "checkbox" } },
  protocols: {
    href: ["http", "https", "mailto", "tel", "attachment", "note"],
    src: ["http", "https", "attachment", "note"]
  },
  clobber: [],
  clobberPrefix: ""
}
