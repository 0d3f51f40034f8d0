import type { ListedFile } from "../Converted.ts"

/** The data of a note for its front matter. */
export interface FrontMatterNote {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly tags: ReadonlyArray<string>
  readonly pinned: boolean
  readonly archived: boolean
  readonly created_at: string
  readonly updated_at: string
}

/** Characters that YAML 1.1 reads as the end of a line, or does not accept. */
const unreadable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** YAML 1.2 accepts strings of JSON. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(unreadable, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Lists files that a reader of the text would not find, or would name differently. */
const listOf = (files: ReadonlyArray<ListedFile>): string =>
  files.length === 0
    ? ""
    : `files:${files
        .map(({ name, path }) =>
          name === undefined ? `\n  - ${quoted(path)}` : `\n  - {"path": ${quoted(path)}, "name": ${quoted(name)}}`
        )
        .join("")}\n`

/** The front matter of a note, without the line that ends it. */
export const headOf = (
  { archived, created_at, id, pinned, tags, title, updated_at }: FrontMatterNote,
  files: ReadonlyArray<ListedFile>
): string =>
  `---
id: ${id}
title: ${quoted(title)}
tags:${tags.length === 0 ? " []" : tags.map((tag) => `\n  - ${quoted(tag)}`).join("")}
created: ${created_at}
updated: ${updated_at}
${listOf(files)}archived: ${archived}
pinned: ${pinned}
`

/** The line that ends a front matter, and begins one. */
export const ending = "---\n"
