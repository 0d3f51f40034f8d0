/**
 * Attacks a fresh Sheaf on this machine, small and bounded, and prints the results.
 *   node scripts/attack/main.ts [NAME …]     without names: attacks that succeeded once, then many of them at once
 * Exit code 1 if any attack succeeds. See docs/performance.md#attacks.
 */
import { parseArgs } from "node:util"
import { setTimeout as sleep } from "node:timers/promises"
import type { Judgement, Runnable } from "./Attack.ts"
import { disk } from "./Disk.ts"
import { bulkWrites, longPolls, requests, streams } from "./Floods.ts"
import { filterTerms } from "./search/FilterTerms.ts"
import { halfSent } from "./HalfSent.ts"
import { keptByteAttacks } from "./KeptBytes.ts"
import { expiringKeys, foreignDevice, keptKeys, keysOfOthers, leavers, replacedSecrets, rotatedKeys } from "./Keys.ts"
import { Lab, Server } from "./Lab.ts"
import { largePushes, manyFaults, pipelined } from "./LargeBodies.ts"
import { largeLogIns } from "./LargeLogIns.ts"
import { logInFlood } from "./LogInFlood.ts"
import { formerAddresses, invitations } from "./MailsToStrangers.ts"
import { mcpTools } from "./McpTools.ts"
import type { Measurement } from "./measure.ts"
import { noteHistory } from "./NoteHistory.ts"
import { manyDevices, manyKeys, purges } from "./Numbers.ts"
import { largePages, pageFlood } from "./PageFlood.ts"
import { filterPattern, tagPatterns } from "./search/Patterns.ts"
import { hookOrigins, importPlaces, logInNetworks, pushPlaces, renderPlaces, sharePasswords } from "./Places.ts"
import { type Probe, startProbe } from "./Probe.ts"
import { refreshes, registrations, resetTimes } from "./Registrations.ts"
import { searchHighlights } from "./search/SearchHighlights.ts"
import { searchIndex } from "./search/SearchIndex.ts"
import { searchTypos } from "./search/SearchTypos.ts"
import { searchTexts, suggests } from "./search/SearchTexts.ts"
import { patientReaders, slowReaders, unreadPages } from "./SlowReaders.ts"
import { notebooks, tagRenames, tags } from "./Tags.ts"
import { longTexts, templates } from "./Templates.ts"

const attacks: ReadonlyArray<Runnable> = [
  keysOfOthers,
  rotatedKeys,
  expiringKeys,
  replacedSecrets,
  leavers,
  foreignDevice,
  keptKeys,
  refreshes,
  registrations,
  resetTimes,
  manyDevices,
  manyKeys,
  purges,
  halfSent,
  largeLogIns,
  logInFlood,
  pipelined,
  largePushes,
  manyFaults,
  pageFlood,
  largePages,
  slowReaders,
  unreadPages,
  tagRenames,
  notebooks,
  tags,
  disk,
  ...keptByteAttacks,
  invitations,
  formerAddresses,
  hookOrigins,
  pushPlaces,
  renderPlaces,
  importPlaces,
  logInNetworks,
  sharePasswords,
  noteHistory,
  mcpTools,
  templates,
  longTexts,
  filterTerms,
  filterPattern,
  tagPatterns,
  searchHighlights,
  searchTypos,
  searchIndex,
  ...searchTexts,
  requests,
  longPolls,
  streams,
  suggests,
  bulkWrites,
  patientReaders
]

/** Limits for another user's requests, in milliseconds, and for the memory of the server, in MB. */
const must = { p99: 1000, silence: 1000, memory: 600 }
const QUIET = 1200
/** Milliseconds after an attack that still belong to it, when its clients are gone. */
const AFTERWARDS = 600
const PREPARATION = 60_000
/** Milliseconds within which the server must respond normally again after an attack. */
const REST = 5000
const ATTACKERS = 160
const TOGETHER = "all-at-once"
const TOGETHER_SECONDS = 8

const { positionals } = parseArgs({ allowPositionals: true })
const unknown = positionals.filter((name) => name !== TOGETHER && !attacks.some((attack) => attack.name === name))
if (unknown.length > 0) {
  console.error(`${unknown.join(", ")}: not one of ${[...attacks.map(({ name }) => name), TOGETHER].join(", ")}`)
  process.exit(2)
}
const isChosen = ({ name, onDemand = false }: { readonly name: string; readonly onDemand?: boolean }): boolean =>
  positionals.length === 0 ? !onDemand : positionals.includes(name)

interface Stage {
  readonly server: Server
  readonly probe: Probe
  /** Attacks that are prepared already. */
  readonly prepared: Map<string, (lab: Lab) => Promise<Judgement>>
}
let stage: Stage | undefined

const onStage = async (): Promise<Stage> => {
  if (stage !== undefined) return stage
  const server = await Server.start(ATTACKERS)
  stage = { server, probe: await startProbe(server), prepared: new Map() }
  return stage
}

/** Ends the server, so that the next attack gets a fresh one. */
const clear = async (how: "stop" | "kill"): Promise<void> => {
  const ended = stage
  stage = undefined
  await ended?.probe.stop()
  await ended?.server[how]()
}

const within = async <A>(lab: Lab, milliseconds: number, work: Promise<A>): Promise<A> => {
  const timer = setTimeout(() => lab.end(), milliseconds)
  return await work.finally(() => {
    clearTimeout(timer)
    lab.end()
  })
}

/** The limits that the measurement exceeds. */
const faults = ({ failures, gets, memory, ready, silence, writes }: Measurement): Array<string> => [
  ...(failures.length > 0
    ? [`others got ${[...new Set(failures)].map((status) => status || "no response").join(", ")}`]
    : []),
  ...(gets.p99 > must.p99 ? [`p99 of gets over ${must.p99} ms`] : []),
  ...(writes.p99 > must.p99 ? [`p99 of writes over ${must.p99} ms`] : []),
  ...(silence > must.silence ? [`no response of /healthz for more than ${must.silence} ms`] : []),
  ...(ready === 200 ? [] : [`/readyz was ${ready}`]),
  ...(memory > must.memory ? [`more than ${must.memory} MB`] : [])
]

const ms = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0))
const show = (quiet: Measurement, { arrival, gets, memory, ready, silence, writes }: Measurement): string =>
  [
    `gets p50 ${ms(quiet.gets.p50)}→${ms(gets.p50)} p99 ${ms(quiet.gets.p99)}→${ms(gets.p99)} (×${(gets.p99 / quiet.gets.p99).toFixed(1)}) max ${ms(gets.max)}`,
    `writes max ${ms(quiet.writes.max)}→${ms(writes.max)}`,
    `silence ${ms(silence)}`,
    `readyz ${ready} in ${ms(arrival)}`,
    `${Math.round(memory)} MB`
  ].join(" | ")

let failed = 0
const print = (name: string, { figures, failures }: Judgement, measures?: string): void => {
  if (failures.length > 0) failed++
  const verdict = failures.length > 0 ? "FAILED" : "holds "
  const because = failures.length > 0 ? ` | because: ${failures.join("; ")}` : ""
  console.log(`${name.padEnd(18)} ${verdict} ${measures === undefined ? "" : `${measures} | `}${figures}${because}`)
}

/** Waits after an attack, so that its effects do not count for the next one. */
const settle = async (name: string): Promise<void> => {
  if (stage === undefined || (await stage.server.recovers(REST))) return
  print(name, { figures: "", failures: [`it did not recover within ${REST} ms`] })
  await clear("kill")
}

interface Comparison {
  readonly quiet: Measurement
  readonly measured: Measurement
}

/** Measures while something runs, after a quiet round. */
const measureDuring = async <A>(
  { probe }: Stage,
  lab: Lab,
  run: () => Promise<A>
): Promise<Comparison & { readonly result: A }> => {
  await probe.mark()
  await sleep(QUIET)
  const quiet = await probe.mark()
  const result = await run()
  lab.end()
  await sleep(AFTERWARDS)
  const measured = await probe.mark()
  return { quiet, measured, result }
}

const prepare = async (attack: Runnable, { prepared, server }: Stage) => {
  const lab = new Lab(server)
  const run = prepared.get(attack.name) ?? (await within(lab, PREPARATION, attack.prepare(lab)))
  prepared.set(attack.name, run)
  return run
}

const runOne = async (attack: Runnable): Promise<void> => {
  const on = await onStage()
  const run = await prepare(attack, on)
  const lab = new Lab(on.server)
  const bounded = () => within(lab, attack.seconds * 1000, run(lab))
  if (attack.measured === false) return print(attack.name, await bounded())
  await on.server.recovers(REST)
  const { measured, quiet, result } = await measureDuring(on, lab, bounded)
  const failures = [...faults(measured), ...result.failures]
  print(attack.name, { ...result, failures }, show(quiet, measured))
  if (measured.memory > must.memory) await clear("kill")
}

const runTogether = async (): Promise<void> => {
  const on = await onStage()
  const chosen = attacks.filter(({ together }) => together)
  const runs: Array<(lab: Lab) => Promise<Judgement>> = []
  for (const attack of chosen) runs.push(await prepare(attack, on))
  await on.server.recovers(REST)
  const lab = new Lab(on.server)
  const { measured, quiet } = await measureDuring(on, lab, () =>
    within(lab, TOGETHER_SECONDS * 1000, Promise.all(runs.map((run) => run(new Sharing(lab)))))
  )
  // Reported without a limit: on two cores the attackers themselves take most of the processor time.
  print(TOGETHER, { figures: chosen.map(({ name }) => name).join(" "), failures: [] }, show(quiet, measured))
}

/** One of several attacks on a server, which can end on its own. */
class Sharing extends Lab {
  constructor(all: Lab) {
    super(all.server)
    all.signal.addEventListener("abort", () => this.end(), { once: true })
  }
}

/** Runs an attack on a separate server, because it takes long. */
const runApart = async (attack: Runnable): Promise<Judgement> => {
  const server = await Server.start(1)
  try {
    const lab = new Lab(server)
    const run = await attack.prepare(lab)
    return await within(lab, attack.seconds * 1000, run(lab))
  } finally {
    await server.kill()
  }
}

const guarded = async (name: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    print(name, {
      figures: "",
      failures: [`it could not be run: ${error instanceof Error ? error.message : String(error)}`]
    })
    await clear("kill")
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void clear("kill").finally(() => process.exit(130)))
}

const began = performance.now()
try {
  const apart = attacks
    .filter((attack) => attack.apart && isChosen(attack))
    .map((attack) => ({ attack, judged: runApart(attack) }))
  // Rejections are handled at the end.
  for (const { judged } of apart) judged.catch(() => {})
  for (const attack of attacks.filter((attack) => !attack.apart && isChosen(attack))) {
    await guarded(attack.name, () => runOne(attack))
    await settle(attack.name)
  }
  if (isChosen({ name: TOGETHER })) await guarded(TOGETHER, runTogether)
  for (const { attack, judged } of apart) await guarded(attack.name, async () => print(attack.name, await judged))
} finally {
  await clear("kill")
}
console.log(`${failed === 0 ? "all held" : `${failed} failed`}, ${Math.round((performance.now() - began) / 1000)} s`)
process.exit(failed === 0 ? 0 : 1)
