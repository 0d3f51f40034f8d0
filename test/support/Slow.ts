/**
 * Whether `npm run test:slow` runs, which has all rounds, all samples and the tests of `it.runIf(isSlow)`. Each of these has
 * a shorter form that `npm test` runs too.
 */
export const isSlow = process.env["SLOW_TESTS"] === "1"

/** How often something is done: in `npm test`, and in `npm run test:slow`. */
export const rounds = (short: number, slow: number): number => (isSlow ? slow : short)

/** Items that are tried: in `npm test` at most `count`, evenly spread from the first one on, in `npm run test:slow` all. */
export const sampled = <A>(items: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  isSlow || items.length <= count
    ? items
    : Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]!)
