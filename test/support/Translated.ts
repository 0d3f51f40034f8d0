/** A word that is a list of itself, too. */
const word = ["x"]

/** What a function returns for arguments that are all the same; undefined if they are numbers where it takes lists. */
const called = (make: Function, given: unknown): string | undefined => {
  try {
    const made: unknown = make(...Array.from({ length: Math.max(make.length, 2) }, () => given))
    return typeof made === "string" ? made : JSON.stringify(made)
  } catch (error) {
    if (given !== word && error instanceof TypeError) return undefined
    throw error
  }
}

/** The texts in a catalog, each with its path: those of functions for a word and for some numbers. */
export const leavesOf = (catalog: unknown, path = ""): ReadonlyArray<readonly [path: string, text: string]> => {
  if (typeof catalog === "string") return [[path, catalog]]
  if (typeof catalog === "function")
    return [word, 0, 1, 2, 1_000_000].flatMap((given) => {
      const text = called(catalog, given)
      return text === undefined ? [] : [[`${path}(${String(given)})`, text] as const]
    })
  if (typeof catalog !== "object" || catalog === null) throw new Error(`${path} is no text`)
  return Object.entries(catalog).flatMap(([name, inner]) => leavesOf(inner, `${path}.${name}`))
}

const arityOf = (text: unknown): number | undefined => (typeof text === "function" ? text.length : undefined)

const aritiesOf = (catalog: unknown, path = ""): ReadonlyArray<string> =>
  typeof catalog === "object" && catalog !== null
    ? Object.entries(catalog).flatMap(([name, inner]) => aritiesOf(inner, `${path}.${name}`))
    : [`${path} ${arityOf(catalog) ?? typeof catalog}`]

/** A text without what functions and templates put in. */
const bare = (text: string): string => text.replaceAll(/\{\{.*?\}\}|[\d,.]+|\bx\b/g, "").trim()

/** How the texts of a translation are unlike those in English: other names or functions, empty texts, and equal ones. */
export const unlike = (english: object, translation: object) => {
  const [own, theirs] = [new Set(aritiesOf(english)), new Set(aritiesOf(translation))]
  const texts = leavesOf(translation)
  const known = new Map(leavesOf(english))
  return {
    different: [...own.symmetricDifference(theirs)],
    empty: texts.filter(([, text]) => text.trim() === ""),
    equal: [...new Set(texts.flatMap(([path, text]) => (known.get(path) === text ? [bare(text)] : [])))].filter(
      (text) => /\p{L}/u.test(text)
    )
  }
}
