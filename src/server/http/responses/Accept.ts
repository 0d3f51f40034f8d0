import { type Language, languageIn } from "../../../../services/languages/Language.ts"

/** The members of a header such as Accept with their weights (RFC 9110, section 12.4.2), 1 without `q`. */
const weightsOf = (header: string): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>()
  for (const member of header.split(",")) {
    const [name, ...parameters] = member.split(";").map((part) => part.trim().toLowerCase())
    if (name === undefined || name === "") continue
    const q = parameters.find((parameter) => /^q\s*=/.test(parameter))
    const weight = q === undefined ? 1 : Number(q.slice(q.indexOf("=") + 1))
    // An invalid weight is ignored.
    weights.set(name, weight >= 0 && weight <= 1 ? weight : 1)
  }
  return weights
}

/** The weight of a media type: that of the most specific range that matches (section 12.5.1). */
export const typeWeights = (accept: string): ((type: string) => number) => {
  const weights = weightsOf(accept)
  return (type) =>
    weights.size === 0
      ? 1
      : (weights.get(type) ?? weights.get(`${type.slice(0, type.indexOf("/"))}/*`) ?? weights.get("*/*") ?? 0)
}

export type Coding = "br" | "gzip"

/** The content coding that a client prefers (section 12.5.3): br among equals, undefined for no coding. */
export const codingFor = (acceptEncoding: string): Coding | undefined => {
  const weights = weightsOf(acceptEncoding)
  const other = weights.get("*") ?? 0
  const br = weights.get("br") ?? other
  const gzip = weights.get("gzip") ?? weights.get("x-gzip") ?? other
  const best = Math.max(br, gzip)
  if (best === 0 || best < (weights.get("identity") ?? 0)) return undefined
  return br === best ? "br" : "gzip"
}

/** The language of pages for a reader (section 12.5.4): that of most weight of those with texts, or else English. */
export const languageFor = (acceptLanguage = ""): Language =>
  languageIn(
    [...weightsOf(acceptLanguage)]
      .filter(([, weight]) => weight > 0)
      .toSorted(([, one], [, other]) => other - one)
      .map(([locale]) => locale)
  )
