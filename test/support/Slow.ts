/** Whether `npm run test:slow` runs. Each test that only runs then has a shorter form that `npm test` runs too. */
export const isSlow = process.env["SLOW_TESTS"] === "1"

/** The number of rounds in `npm test`, and in `npm run test:slow`. */
export const rounds = (short: number, slow: number): number => (isSlow ? slow : short)

/** All items in `npm run test:slow`; in `npm test` at most `count` of them, evenly spread from the first one on. */
export const sampled = <A>(items: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  isSlow || items.length <= count
    ? items
    : Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]!)
