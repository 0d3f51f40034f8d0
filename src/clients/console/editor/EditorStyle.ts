import { HighlightStyle, syntaxHighlighting } from "@codemirror/language"
import type { Extension } from "@codemirror/state"
import { EditorView } from "@codemirror/view"
import { tags } from "@lezer/highlight"

/** Colours by variables, so that they follow the theme of the page. */
const highlightStyle = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "650" },
  { tag: tags.heading1, fontWeight: "680", fontSize: "1.5em", letterSpacing: "-0.01em" },
  { tag: tags.heading2, fontWeight: "650", fontSize: "1.25em" },
  { tag: tags.heading3, fontWeight: "650", fontSize: "1.1em" },
  { tag: tags.strong, fontWeight: "650" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url], color: "var(--accent-ink)" },
  { tag: tags.monospace, fontFamily: "var(--mono)", fontSize: "0.9em" },
  { tag: tags.quote, color: "var(--soft)" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], color: "var(--faint)" }
])

const theme = EditorView.theme({
  "&": { fontSize: "inherit", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "inherit", overflow: "visible" },
  ".cm-content": { padding: "0 0 40vh", caretColor: "var(--accent-ink)" },
  ".cm-line": { padding: "0" },
  ".cm-box": {
    margin: "0 0.15em 0 0",
    width: "1em",
    height: "1em",
    verticalAlign: "-0.1em",
    accentColor: "var(--accent)"
  },
  ".cm-cursor": { borderLeftColor: "var(--accent-ink)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--selection)"
  },
  ".cm-tooltip": { background: "var(--raised)", border: "1px solid var(--line)", borderRadius: "var(--radius)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
  ".cm-panels": { background: "var(--raised)", color: "var(--ink)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "inherit",
    maxHeight: "min(20rem, 45vh)",
    minWidth: "15rem"
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "flex",
    justifyContent: "space-between",
    gap: "var(--space-4)",
    padding: "var(--space-1) var(--space-3)",
    fontSize: "var(--size-m)",
    lineHeight: "1.6"
  },
  ".cm-completionDetail": {
    margin: "0",
    fontFamily: "var(--mono)",
    fontStyle: "normal",
    fontSize: "0.85em",
    opacity: "0.75"
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "650" },
  "& .cm-panels.cm-panels-top": {
    top: "var(--header, 0px) !important",
    background: "var(--ground)",
    border: "0",
    insetInline: "0"
  },
  ".cm-formatting": { display: "flex", flexWrap: "wrap", paddingBlockEnd: "var(--space-2)", marginInlineStart: "-8px" },
  ".cm-code": { background: "var(--hover)", borderRadius: "0.25rem", padding: "0.1em 0" },
  ".cm-code-line": { background: "var(--side)", paddingInline: "var(--space-3)", direction: "ltr" },
  ".cm-quote-line": { borderInlineStart: "3px solid var(--line)", paddingInlineStart: "var(--space-3)" },
  ".cm-table-line": { fontFamily: "var(--mono)", fontSize: "0.9em" },
  ".cm-missing": { borderBottom: "1px dashed" },
  ".cm-ambiguous": { borderBottom: "1px dotted" },
  ".cm-marked": { background: "var(--mark)", borderRadius: "0.15em" },
  ".cm-image:not([hidden])": {
    display: "block",
    position: "relative",
    width: "fit-content",
    maxWidth: "100%",
    margin: "var(--space-2) 0"
  },
  ".cm-image img": {
    display: "block",
    maxWidth: "100%",
    maxHeight: "24rem",
    borderRadius: "var(--radius)",
    objectFit: "contain",
    objectPosition: "left top"
  },
  ".cm-resize": {
    position: "absolute",
    insetInlineEnd: "0",
    bottom: "0",
    width: "24px",
    height: "24px",
    background: "var(--raised)",
    borderInlineEnd: "4px solid var(--accent)",
    borderBlockEnd: "4px solid var(--accent)",
    borderEndEndRadius: "var(--radius)",
    cursor: "nwse-resize",
    touchAction: "none"
  },
  ".cm-resize:focus-visible": { outline: "2px solid var(--accent)" },
  "@media (hover: hover)": { ".cm-image:not(:hover) .cm-resize:not(:focus)": { opacity: "0" } },
  ".cm-formatting [hidden]": { display: "none" },
  ".cm-formatting.is-hidden": { justifyContent: "end" },
  ".cm-formatting [aria-expanded=false] .icon": { rotate: "180deg" },
  "@media (pointer: coarse) and (max-width: 720px)": {
    ".cm-formatting": {
      position: "fixed",
      insetInline: "0",
      bottom: "var(--covered, 0px)",
      flexWrap: "nowrap",
      overflowX: "auto",
      margin: "0",
      padding: "var(--space-1) var(--space-2)",
      background: "var(--raised)",
      borderBlockStart: "1px solid var(--line)"
    },
    ".cm-formatting .icon-button": { flex: "none", width: "40px" }
  },
  ".cm-searchMatch": { background: "var(--mark)" }
})

/** How a text looks while it is written. */
export const editorStyle: Extension = [syntaxHighlighting(highlightStyle), theme]
