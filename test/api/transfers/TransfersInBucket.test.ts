import { ListObjectsV2Command } from "@aws-sdk/client-s3"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sha256Of, someBytes } from "../../support/Files.ts"
import { Importing } from "../../support/Importing.ts"
import { type S3Server, s3Server } from "../../support/servers/S3Server.ts"
import { Team } from "../../support/people/Team.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { zipOf } from "../../services/transfers/Zip.ts"

const s3 = await s3Server()
const missing = "missing" in s3 ? ` (skipped: ${s3.missing})` : ""
const server = s3 as S3Server

describe.skipIf(missing !== "")(`imports and exports in a bucket${missing}`, () => {
  let app: TestApp

  beforeAll(async () => {
    const { client: _, ...place } = server
    // The bucket checks signatures against the real time.
    app = await startApp({ clock: "live", settings: { s3: place } })
  })
  afterAll(async () => {
    await app?.stop()
    server.client.destroy()
  })

  it("store their files there, and an exported file is imported again with the same bytes", async () => {
    const picture = someBytes(40_000)
    const own = new Importing(await Team.start(app))
    const imported = await own.all(
      "markdown",
      "vault.zip",
      zipOf([
        { name: "A/one.md", content: "# One\n\n![a picture](../p.png) and [[two]]" },
        { name: "A/B/two.md", content: "---\ntags: [x]\n---\nText" },
        { name: "p.png", content: picture }
      ])
    )
    expect(imported).toMatchObject({ status: "done", imported: 2, errors: [] })

    const out = await own.exported("json")
    expect(out.files.get(`files/${sha256Of(picture)}`)?.equals(picture)).toBe(true)
    const [{ download_url }] = (await own.team.get("/exports")).data
    expect(new URL(download_url).host).toBe(new URL(server.endpoint).host)

    const other = new Importing(await Team.start(app))
    expect(await other.all("json", "export.zip", out.bytes)).toMatchObject({ status: "done", imported: 2, errors: [] })
    const again = await other.exported("json")
    expect([...again.files.keys()]).toEqual([...out.files.keys()])
    for (const [name, bytes] of out.files) {
      if (name !== "manifest.json")
        // The importing user becomes the author.
        expect([name, again.files.get(name)?.toString("latin1")]).toEqual([
          name,
          bytes.toString("latin1").replaceAll(own.team.owner.user_id, other.team.owner.user_id)
        ])
    }
    await expectTruth(app)

    const { Contents = [] } = await server.client.send(new ListObjectsV2Command({ Bucket: server.bucket }))
    const kept = await app.sql("SELECT workspace_id, sha256 FROM blobs WHERE refs > 0")
    for (const { sha256, workspace_id } of kept) {
      expect(Contents.filter(({ Key }) => Key!.includes(workspace_id) && Key!.endsWith(sha256))).toHaveLength(1)
    }
    expect(Contents.filter(({ Key }) => Key!.includes("staging"))).toEqual([])
  })
})
