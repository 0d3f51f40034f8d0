/** Whether `npm run test:slow` runs: every property with all its rounds, every process killed as often as it takes. */
export const isSlow = process.env["SLOW_TESTS"] === "1"

/** The rounds of a property: at most 200, unless `npm run test:slow` runs. */
export const rounds = (count: number): number => (isSlow ? count : Math.min(count, 200))
