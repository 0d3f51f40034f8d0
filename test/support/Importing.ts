import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Files } from "./Files.ts"
import { eventually } from "./flows/eventually.ts"
import type { Member, Team } from "./people/Team.ts"
import { type Unzipped, unzip } from "./Unzip.ts"

/** Imports and exports of a member of a team. */
export class Importing {
  readonly team: Team
  private readonly files: Files

  constructor(team: Team) {
    this.team = team
    this.files = new Files(team.app)
  }

  /** Creates an import and uploads its file. */
  async begin(source: string, filename: string, bytes: Uint8Array, more: object = {}): Promise<string> {
    const made = await this.team.post("/imports", { source, filename, ...more })
    const sent = await this.files.put(made, bytes)
    if (sent.status !== 200) throw new Error(`the file was refused: ${sent.status} ${JSON.stringify(sent.body)}`)
    return made.id
  }

  /** Waits until an import is done or has failed, and returns it. */
  async ended(id: string): Promise<any> {
    let found: any
    await eventually("the import has ended", async () => {
      found = await this.team.get(`/imports/${id}`)
      return found.status === "done" || found.status === "failed"
    })
    return found
  }

  /** Imports a file and waits for the result. */
  async all(source: string, filename: string, bytes: Uint8Array, more: object = {}): Promise<any> {
    return this.ended(await this.begin(source, filename, bytes, more))
  }

  /** Creates an import with its file in one multipart request. */
  async form(
    fields: Record<string, string>,
    filename: string,
    bytes: Uint8Array,
    caller: Member = this.team.owner,
    headers = {}
  ) {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append("file", new Blob([new Uint8Array(bytes)]), filename)
    const response = await fetch(`${this.team.app.url}/imports`, {
      method: "POST",
      body: form,
      headers: { ...caller.headers, ...headers }
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }

  /** Exports the workspace, and returns the file with its entries. */
  async exported(format: "json" | "markdown", body: object = {}): Promise<Unzipped & { readonly bytes: Buffer }> {
    const { id } = await this.team.post("/exports", { scope: "workspace", format, ...body })
    const made = await eventually("the export is ready", async () => {
      const found = await this.team.get(`/exports/${id}`)
      return found.status === "ready" && found
    })
    const { bytes } = await this.files.call("GET", made.download_url)
    return { ...(await unzip(bytes)), bytes }
  }

  /** Returns the ready attachments of the workspace or a notebook, by id. */
  async attached(notebook_id?: string): Promise<ReadonlyArray<any>> {
    return this.team.app.sql(
      `SELECT a.* FROM attachments a JOIN notes n USING (workspace_id) WHERE a.workspace_id = $1 AND n.id = a.note_id
        AND ($2::text IS NULL OR n.notebook_id = $2) AND a.status = 'ready' ORDER BY a.id`,
      [this.team.id, notebook_id ?? null]
    )
  }

  /** Waits until an import has left the queue, which happens shortly after its status is final. */
  async leftQueue(id: string): Promise<void> {
    await eventually("the import has left the queue", async () => {
      return (await this.team.app.sql("SELECT id FROM transfers WHERE id = $1", [id])).length === 0
    })
  }

  /** Waits until the folders of all imports are removed, which happens shortly after their status is final. */
  async leftNothing(): Promise<void> {
    const folder = join(this.team.app.dataDir, "imports")
    await eventually("imports have left no folder", () => readdirSync(folder).length === 0)
  }

  /** Returns all notes outside the trash by title, with the names of their notebooks from the top. */
  async notes(): Promise<ReadonlyArray<any>> {
    return this.team.app.sql(
      `WITH RECURSIVE placed AS (
        SELECT id, ARRAY[name] AS path FROM notebooks WHERE workspace_id = $1 AND parent_id IS NULL
        UNION ALL SELECT b.id, p.path || b.name FROM notebooks b JOIN placed p ON b.parent_id = p.id WHERE b.workspace_id = $1
      ) SELECT n.id, n.title, n.body, n.tags, n.archived, n.created_at, n.updated_at, n.version, n.author_id,
        p.path AS notebook FROM notes n JOIN placed p ON p.id = n.notebook_id
      WHERE n.workspace_id = $1 AND n.deleted_at IS NULL ORDER BY n.title, n.id`,
      [this.team.id]
    )
  }
}
