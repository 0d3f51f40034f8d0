import type { RandomnessShape } from "../Randomness.ts"

const longest = 63
const suffix = 8

/** Letters that Unicode does not decompose into a base and marks. */
const folded: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th"
}

const cut = (slug: string, length: number): string => slug.slice(0, length).replace(/-+$/, "")

/** Makes a slug from a name: lower case, without marks, all other characters as hyphens. */
export const slugOf = (name: string): string => {
  const bare = name
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
  const plain = Array.from(bare, (letter) => folded[letter] ?? letter).join("")
  return cut(plain.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-/, ""), longest) || "workspace"
}

/** Returns another slug for a slug that is taken. */
export const anotherSlug = (randomness: RandomnessShape, slug: string): string =>
  `${cut(slug, longest - suffix - 1)}-${randomness.text(suffix).toLowerCase()}`
