import { beforeAll, describe, expect, it } from "vitest"
import { useApp } from "../../support/useApp.ts"

const { app, given, refuse } = useApp()

/** The error of PostgreSQL for a statement that timed out. */
const timesOut = "RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014'"

beforeAll(async () => {
  await app.sql(`CREATE FUNCTION times_out() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN ${timesOut}; END $$`)
  await app.sql(`CREATE FUNCTION row_times_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${timesOut}; END $$`)
})

const overloaded = { status: 503, code: "overloaded" }

describe("statement that times out", () => {
  it("returns 503 overloaded for a read, which can be repeated", async () => {
    const tag = await given("POST", "/tags", { name: "there" })
    await app.sql("ALTER TABLE tags RENAME TO tags_away")
    await app.sql("CREATE VIEW tags AS SELECT * FROM tags_away WHERE times_out()")
    for (const path of ["/tags", `/tags/${tag.id}`]) {
      const { headers } = await refuse(overloaded, "GET", path)
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
    }
    await app.sql("DROP VIEW tags")
    await app.sql("ALTER TABLE tags_away RENAME TO tags")
    expect((await given("GET", "/tags")).data).toEqual([tag])
  })

  it("returns 503 overloaded for a write, and stores nothing", async () => {
    await app.sql("CREATE TRIGGER slow BEFORE INSERT ON tags FOR EACH ROW EXECUTE FUNCTION row_times_out()")
    await refuse(overloaded, "POST", "/tags", { name: "slow" })
    await app.sql("DROP TRIGGER slow ON tags")
    expect(await app.sql("SELECT 1 FROM tags WHERE name = 'slow'")).toEqual([])
    await given("POST", "/tags", { name: "slow" })
  })
})
