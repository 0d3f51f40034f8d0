import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, expect, it } from "vitest"
import { parse as parseYaml } from "yaml"
import { grafanaBoard } from "../../../src/server/metrics/GrafanaBoard.ts"
import { latencySource, measurements } from "../../../services/series/Measurements.ts"
import { type Family, parse } from "../../support/PrometheusText.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

interface Panel {
  readonly id: number
  readonly title: string
  readonly description: string
  readonly datasource: object
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets: ReadonlyArray<{ readonly expr: string; readonly datasource: object }>
}

const board: any = grafanaBoard
const panels: ReadonlyArray<Panel> = board.panels
const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

/** The metrics that an expression names, each with the labels that it must have. */
const namedIn = (expression: string) =>
  [...expression.matchAll(/\b((?:sheaf|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(([, name, labels]) => ({
    name: name!.replace(/_bucket$/, ""),
    labels: [...(labels ?? "").matchAll(/(\w+)(?:=~|!~|!=|=)"/g)]
      .map(([, label]) => label!)
      .filter((label) => label !== "instance")
  }))

const named = expressions.flatMap(namedIn)
let families: ReadonlyMap<string, Family>

beforeAll(async () => {
  await app.call("GET", "/notes/nt_missing")
  await app.call("POST", "/notes", { notebook_id: (await app.call("GET", "/notebooks")).body.data[0].id, title: "One" })
  await app.advance("2 minutes")
  families = parse(await (await fetch(new URL("/metrics", app.url))).text())
})

it("each metric of the Grafana board is at /metrics, with the labels that the board selects and groups by", () => {
  for (const { labels, name } of named) {
    const samples = families.get(name)?.samples ?? []
    expect(samples, name).not.toEqual([])
    for (const label of labels) for (const sample of samples) expect(Object.keys(sample.labels), name).toContain(label)
  }
  for (const expression of expressions) {
    expect(namedIn(expression), expression).not.toEqual([])
    const [first] = namedIn(expression)
    const known = new Set(["le", ...families.get(first!.name)!.samples.flatMap(({ labels }) => Object.keys(labels))])
    for (const [, group] of expression.matchAll(/by \(([^)]*)\)/g)) {
      for (const label of group!.split(", ")) expect(known, expression).toContain(label)
    }
  }
})

it("each measurement of the series is on the board", () => {
  const onBoard = new Set(named.map(({ name }) => name))
  for (const { metric } of [...Object.values(measurements), latencySource]) expect(onBoard).toContain(metric)
})

it("the server publishes the board", async () => {
  const response = await fetch(new URL("/docs/grafana.json", app.url))
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"])
  expect(await response.json()).toEqual(board)
})

it("the board is complete: it has a variable for the data source, and panels that do not overlap", () => {
  expect(board).toMatchObject({ title: "Sheaf", schemaVersion: 39, uid: "sheaf" })
  expect(board.templating.list.map(({ name }: { name: string }) => name)).toEqual(["datasource", "instance"])
  const cells = new Set<string>()
  for (const { datasource, description, gridPos, id, targets, title } of panels) {
    expect([title, description].every((text) => text.length > 0)).toBe(true)
    for (const each of [datasource, ...targets.map((target) => target.datasource)]) {
      expect(each).toEqual({ type: "prometheus", uid: "${datasource}" })
    }
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(cells.has(`${x} ${y}`), `${title} overlaps`).toBe(false)
        cells.add(`${x} ${y}`)
      }
    }
    expect(panels.filter((panel) => panel.id === id)).toHaveLength(1)
  }
})

const docs = join(import.meta.dirname, "../../../docs")
const page = (name: string) => readFileSync(join(docs, name), "utf8")

it("the alerts are those of the page for operators, on metrics that Sheaf has", () => {
  const alerts: ReadonlyArray<Record<string, any>> = parseYaml(page("alerts.yml")).groups[0].rules
  const inAlerts = new Set(alerts.flatMap(({ expr }) => namedIn(expr)).map(({ name }) => name))
  const [, section] = page("operating.md").split("Metrics that are worth an alert:")
  const inTable = new Set(
    [...section!.split("## Tests")[0]!.matchAll(/\b((?:sheaf|nodejs)_\w+)/g)].map(([, name]) => name!)
  )
  expect([...inAlerts].toSorted()).toEqual([...inTable].toSorted())
  // These exist only with a schedule of backups or drills, with Redis, or after what they count.
  const sometimes = [
    "sheaf_backup_drills_up",
    "sheaf_backup_last_success_timestamp_seconds",
    "sheaf_backups_total",
    "sheaf_backups_up",
    "sheaf_mails_total",
    "sheaf_redis_up",
    "sheaf_reminders_late_seconds",
    "sheaf_search_partial_total",
    "sheaf_webhook_tries_total"
  ]
  for (const name of inAlerts) if (!families.has(name)) expect(sometimes).toContain(name)
  for (const { alert, annotations, expr, labels } of alerts) {
    expect([alert, labels.severity, annotations.summary, namedIn(expr).length > 0]).toEqual([
      expect.stringMatching(/^Sheaf[A-Z]\w+$/),
      expect.stringMatching(/^(warning|critical)$/),
      expect.stringMatching(/^.{10,}$/),
      true
    ])
  }
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
})

const hasPromtool = spawnSync("promtool", ["--version"]).error === undefined

it.skipIf(!hasPromtool)("promtool accepts the alerts (skipped where it is not installed)", () => {
  const { status, stderr, stdout } = spawnSync("promtool", ["check", "rules", join(docs, "alerts.yml")], {
    encoding: "utf8"
  })
  expect([status, stderr], stdout).toEqual([0, ""])
})
