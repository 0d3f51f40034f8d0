import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

/**
 * SHA-256 of every migration. A migration that may have run somewhere is never edited: that database would not be as
 * the code expects. A new migration makes the change, with a new line here.
 */
const committed: Readonly<Record<string, string>> = {
  "0001_accounts.ts": "255e9f10fc4a00c8b67656a0a3f4b0cecb4f49a0f6cbffdb5d97d9dea5775244",
  "0001_deliveries.ts": "132767dcb27fce011770ff6cfc7ebc46fd263af648efa2b6035a370f0485d78c",
  "0001_erasure.ts": "c5ec536bab02cbe0fdcb36e8aae64e7212e3617fabb9882888baa0146f7efedd",
  "0001_log.ts": "abfe4fa4e31884562d6d1c9eabf4baefb0aabbe6dbd65c1cdde5461a1b1d41d2",
  "0001_notes.ts": "600d81562c3e9d1bd90f027098186f88020d022348a372d273f01a02769ab459",
  "0001_parts.ts": "dd47bbc4469c0356a0d4c1a77f34d504010a21d8b3eb769a1e45b8fd80f49c0d",
  "0001_schema.ts": "519c282c54397fb9895a6159b800b339cae2221ebc2f4240ba3c172b44f5f665",
  "0001_server.ts": "a3efb3976227a2f8b2f837849dfe612ec483d2836d39cd430a0a214bb9534976",
  "0001_transfers.ts": "8db4a25214cb01fb2e922fcea4983529d9fb7f3c33eb68fb569fa125e863c7c3",
  "0001_workspaces.ts": "e6b7d86e350f9e003fb6d98d499087ffad07a34edfa6a1cda0537f1bdca35fb5",
  "0002_connected_apps.ts": "11d592f18fa5517c098757b718276ec5e25f29fa67e0fb47502c36258e0083af",
  "0003_user_identities.ts": "1959be2b5a0700fc05e1bff2c8eddec4ab344e0b54ee3f61f7bcc00dcf7ae646",
  "0004_second_factors.ts": "2708e2a296a4eef0fdf8f6c7c225c0b389abae94bb267b1c3d03e00c630ea74c",
  "0005_change_sets.ts": "7d805feb948ac96d3a25602fdfb88ff48284286a6cf74e85667006032fbed627",
  "0006_note_contents.ts": "db013cdaa9557f0239a0710e0047f2ce821a6ffb2bb7d20b05e31f8c03bba9a0",
  "0007_limited_keys.ts": "784ec22f91d6317482c8091e734a3395b648e5b576d9c0675378906a97a8ed0f",
  "0008_departures.ts": "baaf048ab42eb6126fa0f6e274a243abb4c399149d8c4596ad130ef7cb8ca5fa",
  "0009_link_readings.ts": "e1ffadf2f9e60b296574e770690322e0b9c1d4db8c38400bcffb53e6506d48ac",
  "0010_notebook_changes.ts": "d763d2d6b93451d385cc579f7704835a3170506c1c1e7e6db724ea7146f6ce99",
  "0011_reverts_of_credentials.ts": "3b010b4faf3faf41cf6a5877616255e44eaf9da931bd6ffe8953212f1a779d33",
  "0012_limited_transfers.ts": "dffa6a460036dbac99450ac750106a1c5652b64a1f62869a493c885f2c59e668",
  "0013_expand_restore_drills.ts": "4af6f78b86315b8fef56925e19ba3d35fbdb4dc7f9d129403a69f2c52158a902",
  "0014_expand_key_requests.ts": "23036ef9a0adb05ab8ee0a965b397aea09dc2347c3689e7b50885de03e259892",
  "0015_expand_audit_export.ts": "9f9496152490d4c1a44399b509f6b752ed40dfab21c04833716ccf23de4c6d49",
  "0016_expand_import_previews.ts": "b237bfdc05acec1749aa56c755fcb16f5bcb115b21e9cb418c4b44e3d6021289"
}

const folder = join(import.meta.dirname, "../../../services/database/migrations")

it("no committed migration is edited or removed", () => {
  const found = readdirSync(folder)
    .toSorted()
    .map((file) => [
      file,
      createHash("sha256")
        .update(readFileSync(join(folder, file)))
        .digest("hex")
    ])
  expect(Object.fromEntries(found)).toEqual(committed)
})
