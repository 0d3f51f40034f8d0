/** The Markdown that shows an image, or links to another file. */
export const attachmentLink = (id: string, { name, type }: Pick<File, "name" | "type">): string =>
  `${type.startsWith("image/") ? "!" : ""}[${name.replaceAll(/[[\]\\]/g, "\\$&")}](attachment:${id})`
