import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import { unified } from "unified"

/** Markdown as notes have it. */
export const parser = unified().use(remarkParse).use(remarkGfm).freeze()
