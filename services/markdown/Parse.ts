import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import { unified } from "unified"

/** Parses Markdown of notes: CommonMark and GFM. */
export const parser = unified().use(remarkParse).use(remarkGfm).freeze()
