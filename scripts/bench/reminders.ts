import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { Connection, requestText } from "./Connection.ts"
import type { Measure } from "./load.ts"
import { median } from "./median.ts"
import { type FilledWorkspace, jsonOf } from "./operations.ts"
import { type PostgresConnection, startSheaf, type Target } from "./Target.ts"

const reminders = 10_000
const perPush = 500
/** How often the quiet p99 of gets it may be while they fire. */
const most = 3
/** All have fired by then. */
const patience = 60_000

/** Reminders of all workspaces that are due at one moment; answers their ids. */
const arm = async (port: number, workspaces: ReadonlyArray<FilledWorkspace>, due: Date): Promise<string[]> => {
  const connection = new Connection(port)
  const ids: string[] = []
  for (let at = 0; ids.length < reminders; at++) {
    const { key, notes } = workspaces[at % workspaces.length]!
    const changes = Array.from({ length: perPush }, (_, index) => ({
      type: "reminder",
      op: "upsert",
      data: { note_id: notes[index % notes.length], remind_at: due.toISOString(), channel: "webhook" }
    }))
    const answer = await connection.exchange(requestText(key, "POST", "/v2/sync/push", { changes }))
    if (answer.status !== 201) throw new Error(`reminders: ${answer.head}\n\n${answer.body}`)
    for (const { id, status } of jsonOf(answer).results) {
      if (status !== "applied") throw new Error(`reminders: ${answer.body.toString().slice(-2000)}`)
      ids.push(id)
    }
  }
  connection.close()
  return ids
}

interface Firings {
  readonly fired: number
  readonly most: number
  readonly last: string | null
}

/** Whether 10 000 reminders of one moment fire on two nodes, each once, and whether they hold up those who read. */
export const measureReminders = async ({
  dataDir,
  filled,
  measure,
  postgres: { host, port, user },
  rounds,
  rowsOf,
  target
}: {
  readonly dataDir: string
  readonly target: Omit<Target, "workspaces">
  readonly filled: ReadonlyArray<FilledWorkspace>
  readonly rounds: number
  readonly measure: Measure
  readonly postgres: PostgresConnection
  readonly rowsOf: <Row>(sql: string) => Promise<Row[]>
}): Promise<{ readonly lines: string[]; readonly missed: string[] }> => {
  const env = { DATABASE_URL: `postgres://${user}@localhost:${port}/sheaf?host=${encodeURIComponent(host)}` }
  const other = await startSheaf(mkdtempSync(join(dataDir, "second-")), { env })
  const quiet: number[] = []
  const busy: number[] = []
  const late: number[] = []
  const missed: string[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      quiet.push((await measure(target, "get", filled)).p99)
      // In the middle of what is measured.
      const due = new Date(Date.now() + 12_000)
      const ids = await arm(target.port, filled, due)
      await new Promise((resolve) => setTimeout(resolve, due.getTime() - Date.now() - 2_000))
      busy.push((await measure(target, "get", filled)).p99)
      const text = `SELECT count(*)::int AS fired, max(times)::int AS most, max(last) AS last FROM (
        SELECT count(*) AS times, max(occurred_at) AS last FROM changes
        WHERE type = 'reminder.fired' AND resource_id IN (${ids.map((id) => `'${id}'`).join()}) GROUP BY resource_id
      ) each`
      let found: Firings
      do {
        ;[found] = (await rowsOf<Firings>(text)) as [Firings]
      } while (found.fired < reminders && Date.now() < due.getTime() + patience)
      if (found.fired !== reminders || found.most !== 1) {
        missed.push(`reminders: ${found.fired} of ${reminders} have fired, one of them ${found.most} times`)
      }
      late.push(found.last === null ? patience : Date.parse(found.last) - due.getTime())
      console.error(`round ${round + 1}/${rounds} reminders, the last ${late[round]} ms late`)
    }
  } finally {
    await other.stop()
  }
  const ratios = busy.map((p99, round) => p99 / quiet[round]!)
  const ratio = median(ratios)
  if (ratio > most) missed.push(`reminders ${ratio.toFixed(2)} > ${most}`)
  return {
    lines: [
      `${reminders} reminders of one moment on two nodes: the last ${median(late)} ms late; gets meanwhile p99 ${median(
        busy
      ).toFixed(1)} ms to ${median(quiet).toFixed(1)} ms, ratio ${ratio.toFixed(2)} (${Math.min(...ratios).toFixed(
        2
      )}–${Math.max(...ratios).toFixed(2)}), at most ${most}: ${ratio > most ? "OVER" : "ok"}`
    ],
    missed
  }
}
