/**
 * Whether `npm run test:slow` runs. Each test that only runs then has a shorter form in `npm test`, which samples:
 *
 * - real exports and attacks (`ImportSamples`, `ImportPreviews`, `ImportOriginals`, `Enex`, `Markdown`, `ShareBrowser`), naughty strings
 *   (`Strings`, `EmailAddresses`, `Identity`), kinds of large bodies, and the rounds of properties
 * - callers of an operation (`Rights`: a session and a key with all scopes take turns, every fourth one with a scope that
 *   includes the required one, three refused callers each)
 * - sources of repeated imports (`Reimports`), moments of a kill or of a broken connection (`Restart`, `ImportRestart`,
 *   `FilesRestart`, `FollowCuts`, `Recovery`, `WriterFaults`), proxies of a rolling restart (HAProxy alone)
 * - a real disk that is full to the last byte (`FullDisk`; `DiskSpace` measures another one in `npm test`)
 * - variables of the first user, unusable values of DATA_DIR and of settings (`Start`)
 * - most pages of the console in a browser
 * - the vault whose files a folder syncs (`Files`)
 * - scenes of the engine, its faults and the scenes that find them (`Conformance`), scenes of the client in Python
 *   (`PythonClient`)
 * - other runtimes, compilers and copies of Effect with the npm package (`Package`), whose tests run in one process; Deno
 *   with the source (`Build`), and the generator of clients with zod (`clients`)
 */
export const isSlow = process.env["SLOW_TESTS"] === "1"

/** Returns the number of rounds for the current run: `short` in `npm test`, `slow` in `npm run test:slow`. */
export const rounds = (short: number, slow: number): number => (isSlow ? slow : short)

/** Returns all items in `npm run test:slow`; in `npm test` at most `count` of them, evenly spread from the first. */
export const sampled = <A>(items: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  isSlow || items.length <= count
    ? items
    : Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]!)
