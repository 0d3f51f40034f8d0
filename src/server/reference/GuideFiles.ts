import { readFileSync } from "node:fs"

/** The guides in the order of the navigation: their paths below `/docs`, and their sources below `docs/`. */
export const guideFiles = [
  { slug: "guides/errors", file: "guides/errors.md" },
  { slug: "guides/lists", file: "guides/lists.md" },
  { slug: "guides/notes", file: "guides/notes.md" },
  { slug: "guides/links", file: "guides/links.md" },
  { slug: "guides/search", file: "guides/search.md" },
  { slug: "guides/sign-in", file: "guides/sign-in.md" },
  { slug: "guides/files", file: "guides/files.md" },
  { slug: "guides/import-export", file: "guides/import-export.md" },
  { slug: "guides/sharing", file: "guides/sharing.md" },
  { slug: "guides/webhooks", file: "guides/webhooks.md" },
  { slug: "clients", file: "clients.md" },
  { slug: "guides/mcp", file: "mcp.md" },
  { slug: "guides/testing", file: "testing.md" },
  { slug: "guides/conformance", file: "conformance.md" }
] as const

/** The source of the skill for assistants, below `docs/`. */
export const skillSource = "skills/sheaf/SKILL.md"

/** The Markdown source of a guide or of the skill. */
export const guideSource = (file: string): string =>
  readFileSync(new URL(`../../../docs/${file}`, import.meta.url), "utf8")
