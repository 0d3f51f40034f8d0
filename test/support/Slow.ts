/** Whether `npm run test:slow` runs. Each test that only runs then has a shorter form in `npm test`. */
export const isSlow = process.env["SLOW_TESTS"] === "1"

/** Returns the number of rounds for the current run: `short` in `npm test`, `slow` in `npm run test:slow`. */
export const rounds = (short: number, slow: number): number => (isSlow ? slow : short)

/** Returns all items in `npm run test:slow`; in `npm test` at most `count` of them, evenly spread from the first. */
export const sampled = <A>(items: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  isSlow || items.length <= count
    ? items
    : Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]!)
