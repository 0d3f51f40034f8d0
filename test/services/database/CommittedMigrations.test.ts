import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

/**
 * SHA-256 of every migration. A migration that may have run somewhere is never edited: that database would not be as
 * the code expects. A new migration makes the change, with a new line here.
 */
const committed: Readonly<Record<string, string>> = {
  "0001_ground.ts": "e8561dbf695733a3b02b7cb3381a9a86bdd12b5d22eafbbac411868027f87d39",
  "0002_idempotency.ts": "d4e14bea92e9adb2b286c08763863dc535b4053c917775f151ca7bc982b16be7",
  "0003_one_order.ts": "eaf00d806aa6a65eda2f7ecfc0405d10862d76004576f09162d50c0244e22968",
  "0004_api_keys.ts": "093be28a5980d1583d54e8e178209977a0ba5361387ff193c59df2ba9d6c9bd3",
  "0005_people.ts": "073fa6ad43ed1fc3a1275758ffddada801291654c127f4f6d7dd5d2ccc2e42d3",
  "0006_claim_holders.ts": "0b7aa53dfa3c4b7ecf653f01400e466c21a3c1c6d94fab9f4b76cbd40e0902b4",
  "0007_trash_lists.ts": "8ed3164e1590fee6cd92d80161685a60f39c2b95c3b383ba0fff58485ffd8d22",
  "0008_credentials.ts": "237c77cf21ee4a598b1513a01ba3d33ec9a24dad7ee9dd1842b7e377c7845d0c",
  "0009_refresh_families.ts": "523060ea6733b7490606a404d8bd1a815533c548ba49b1b67ae946733425fba3",
  "0010_history_and_counters.ts": "e4623d568a3859e5ef59e203bfcd0be662a338796a7e276bb8b215270e0a9b66",
  "0011_endings.ts": "e427f6f750be1977b49bc57115ee84a320b88b7b9095c92877339ba26434e6ec",
  "0012_mail_turns.ts": "3dcc0ee6b5eef5671f19c17b3aed2951156f88c816a1d330f2db287963fa2187",
  "0013_templates.ts": "935ce7a1d2dfc3ab8b17272bf30d987b7bdccbf37a3d05056d152793accb30c1",
  "0014_notebook_lists.ts": "c11b513ea75737216c6972268b36e7a312f7b23090079db6f32faeee54ac56f6",
  "0015_attachments.ts": "22aeb120c01b9e0bd79130b9eba3d1f8480cf3275a747c761e7337ae844449fb",
  "0016_search_snapshots.ts": "4f0243e6b449f42b804a5e30e53c1fec3ec99ccd22cc94ee26fda7a5c9834b56",
  "0017_around_notes.ts": "d85cfbeda54c381c597b79c0e3772176cde6d308ca35253be57ddfe3256ef188",
  "0018_web_push.ts": "3b2ff4ed41e93780ebd657273c0f1f9c0372bb10d3bb57390d9569229b9826c8",
  "0019_shares.ts": "67fa0a45d03a774f5ed511580f9b32c4a1ecd929225ce367e94d121dfa98cdad",
  "0020_webhooks.ts": "f26bcd4d7b2348af3b71f0bfbc5dea368cc891812c7bc2afb76596cef6904f3a",
  "0021_exports.ts": "fda9d695169bb07d85aaaa126e9bed664f825e23f6f8daff727fc994cae59d21",
  "0022_collations.ts": "be79965375e7442d6e836d566d6de9edc2fcdaf9e6cf177f145798452612376f",
  "0023_imports.ts": "f41c0cfd25c79167f7acb34b672b195b1130a2744ad7fc2a00476c343cc03e7a",
  "0024_claims.ts": "5a2d45da30e625ee02dda651cd905b37c8ac01a32ded5b974b6a260d31122399",
  "0025_text_order.ts": "dd554d248cbb38aa77629478632d440a360a70fac960d6dcf8e89ad48c75f1b1",
  "0026_import_sources.ts": "08cb7d4d1d33a4271e0d60039e663c4947f16d0adc14fb7bd6c0f56cd6a07832",
  "0027_share_breaks.ts": "4389751aebe88809ffe519630b19433a3e065ca26abbeec4468273e8b59a7d25",
  "0028_delivery_attempts.ts": "e2eb66cc70aacd7b7cd05870cc3d329574391e5f520062682fad1f219cb0710a",
  "0029_restoring.ts": "fdb17f6cbda3f3156ada28d411340bd54f5c77bf25aefdcfae206fa4cdbab2a7",
  "0030_email_confirmations.ts": "a36e527d4aaa7f2b3552655a108dc579069c653fae1cc8f06b6ce45ac81418df",
  "0033_erased_and_uploaded.ts": "857995ab2576c52325b0a597880ea83a195cd6434504d377a169b2c8b00f1731",
  "0034_secret_key.ts": "030b51f808186ca80a94289f36c511d7bc4335ab2eef2b8e9616769af5866bf6",
  "0036_erased_bodies.ts": "889617b0ecf33a55ca2ad8bedd9d9e2076314676caa0b5a43d13adf21a48ab2d",
  "0037_webhook_pace.ts": "cfc7ebcbcb213a80e85a4d230c07924932e875226b785caf6dc8217e2ffed264",
  "0038_event_bodies.ts": "4d09efa1ffe3af0ac24593f054046994f4c7696a8d1c58a6663d3653c8f264de",
  "0039_staged_files.ts": "638cebc37b248ff71c6ef9970e3064f7cab984ce8f95fdb490bf15c1126e658e",
  "0040_makers.ts": "fde966c8f11cb08751fbfbd7c09f5a3c2f86d36b798133d26c614027cf79ef13",
  "0042_authenticated_sessions.ts": "c8ac6d3c931b52814ca89e5c5c78a65b2ef55023c8e811d9a9dbf6e0f680a2d0",
  "0043_search_files.ts": "5ee4e5daecd9aee9e848763fe885b9be2782ae1f20e529ef2e364995dcc7ca14",
  "0044_setup_links.ts": "631d8370d5cb057e8485fb5aa10ce13ef73a3313634b196c63a50a41b5f73a66",
  "0045_erasure.ts": "8df894a30f4eb87aeb4d9cb415f84c3fd583e7baa10e682fe256699fbec5e144",
  "0046_backups.ts": "87a3cb7825985aa7b24e4b2d349592b2b110dd9324ac15cec125ea1c67ef8960",
  "0047_operators.ts": "71066bf3d68ab3a1ea2f55c66b3e361af209d2bb46127e139ad204d7cd04aa88",
  "0048_series.ts": "06f47a20a90236f1116bea44d4e4801001c2624a5a40cc67b4c6be6326f9c4c2",
  "0049_via.ts": "90fb10d9f2d5a72776b58aca9386aadcc829ec6ad74f57d946ac804275cf1dac",
  "0050_note_aliases.ts": "18f1954b075094dbcbe8a8fcfb784184e1eedfb08df2cbb0a6bad41f47d97045",
  "0051_erased_changes.ts": "59b6a40980524643545ad05964ac41fdd1142554aebd2a26f82e79e3998d261d",
  "0052_first_operator.ts": "e54105ca22519f18fe6845633383cbda198a268e8f60fd68f708670dee928629",
  "0053_alarms.ts": "578f14fa0833a5e0843f1127a56a402ef842dd58b9c9eb60b1e8a8ee7d6d50ad",
  "0054_restores.ts": "4dc30a3a8bad2bd28ba65b03af01c179703412282bc98c33f4e0ebe59a973ae9"
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
