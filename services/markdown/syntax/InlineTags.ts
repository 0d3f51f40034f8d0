/** A tag of letters, digits and signs, after white space. */
const inlineTag = /(?<=^|[\s(])#((?:[\p{L}\p{N}\p{M}\p{Extended_Pictographic}_/-]|\u200d|\ufe0f)+)/gu

/** The tags in a text without code and links, in its order. A tag has more than digits and signs. */
export const inlineTagsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(inlineTag)].map(([, tag = ""]) => tag).filter((tag) => !/^[\d/_-]+$/.test(tag))
