import type { Schemas } from "../../client/SheafClient.ts"
import { importTexts } from "./ImportTexts.ts"

const counts = ["imported", "updated", "skipped", "notebooks", "tags", "attachments"] as const

/** What an import would do, without its remarks. */
export const ImportForeseen = ({ record }: { readonly record: Schemas["Import"] }) => {
  const isFailed = record.status === "failed"
  return (
    <div class="banner result" role={isFailed ? "alert" : "status"}>
      <p>{isFailed ? importTexts.wouldFail : importTexts.foreseen}</p>
      {counts.map(
        (count) => (record[count] ?? 0) > 0 && <p key={count}>{importTexts.counts[count](record[count]!)}</p>
      )}
    </div>
  )
}
