import { useState } from "preact/hooks"
import type { Schemas, SheafClient } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { hasPasskeys, passkeys } from "../PageData.ts"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/Failure.tsx"
import { withPassword } from "../ui/PasswordRequest.tsx"
import { Question } from "../ui/Question.tsx"
import { Section } from "../ui/Section.tsx"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { usePages } from "../ui/tables/usePages.ts"
import { useAction } from "../ui/useAction.ts"
import { useReading } from "../ui/useReading.ts"
import { actionColumn, dateOrNever } from "../ui/tables/TableColumns.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./FactorMessages.ts"
import { FactorName } from "./FactorName.tsx"
import { NewApp } from "./NewApp.tsx"
import { makePasskey } from "./Passkey.ts"
import { RecoveryCodes } from "./RecoveryCodes.tsx"

type Factor = Schemas["Factor"]

/** What is asked in a dialog. */
type Asked =
  | { readonly kind: "app"; readonly offer: Schemas["OfferedFactor"] }
  | { readonly kind: "rename" | "remove"; readonly factor: Factor }
  | { readonly kind: "makeCodes" }
  /** Codes that were just made, of a factor that was just added or not. */
  | { readonly kind: "codes"; readonly codes: ReadonlyArray<string>; readonly isAdded: boolean }

const kindOf = ({ kind, rp_id }: Factor): string =>
  rp_id === null || rp_id === location.hostname ? texts.kinds[kind] : texts.passkeyOf(rp_id)

interface FactorsSectionProps {
  readonly client: SheafClient
  readonly email: string
  /** Called when a factor was added, and the user has seen its recovery codes. */
  readonly onAdded?: () => void
}

/** The authenticator apps and passkeys of the user, and the recovery codes. */
export const FactorsSection = ({ client, email, onAdded }: FactorsSectionProps) => {
  const list = usePages((page) => client.listFactors(page), [client])
  const codes = useReading(() => client.getRecoveryCodes(), [client])
  const [asked, setAsked] = useState<Asked>()
  const { failure, run } = useAction()
  const close = () => setAsked(undefined)
  const reload = () => Promise.all([list.reload(), codes.reload()])
  const added = async ({ recovery_codes }: Schemas["AddedFactor"]) => {
    setAsked(recovery_codes && { kind: "codes", codes: recovery_codes, isAdded: true })
    await reload()
    if (recovery_codes === undefined) onAdded?.()
  }
  const offered = (kind: Factor["kind"]) => withPassword((proof) => client.offerFactor({ kind, ...proof }))
  const addPasskey = async () => {
    const { options, token } = await offered("passkey")
    const credential = await makePasskey(options)
    if (credential !== undefined) await added(await client.addFactor({ token, credential, name: texts.kinds.passkey }))
  }
  const makeCodes = async () => {
    const { recovery_codes } = await withPassword((proof) => client.makeRecoveryCodes(proof))
    await reload()
    setAsked({ kind: "codes", codes: recovery_codes, isAdded: false })
  }
  const hasFactors = list.pages?.some((rows) => rows.length > 0) === true
  return (
    <Section title={words.secondFactors} lead={texts.lead}>
      <Failure failure={failure} />
      <DataTable
        label={words.secondFactors}
        empty={texts.none}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { label: words.name, isLong: true, of: ({ name }) => name },
          { label: texts.kind, of: kindOf },
          { label: texts.added, of: ({ created_at }) => longDate(created_at) },
          { label: words.lastUsed, of: ({ last_used_at }) => dateOrNever(last_used_at) },
          actionColumn((factor: Factor) => (
            <span class="actions start">
              <Button label={texts.renameOf(factor.name)} onClick={() => setAsked({ kind: "rename", factor })}>
                {texts.rename}
              </Button>
              <Button label={texts.removeOf(factor.name)} onClick={() => setAsked({ kind: "remove", factor })}>
                {texts.remove}
              </Button>
            </span>
          ))
        ]}
      />
      {!hasPasskeys && <p class="hint">{passkeys ? texts.passkey.noneInBrowser : texts.passkey.noneHere}</p>}
      <p class="actions start">
        <Button isOnce onClick={() => void run(async () => setAsked({ kind: "app", offer: await offered("totp") }))}>
          {texts.addApp}
        </Button>
        {hasPasskeys && (
          <Button isOnce onClick={() => void run(addPasskey)}>
            {texts.addPasskey}
          </Button>
        )}
      </p>
      {hasFactors && (
        <>
          <Failure failure={codes.failure} />
          {codes.value !== undefined && <p>{texts.codes.left(codes.value.left)}</p>}
          <p class="actions start">
            <Button onClick={() => setAsked({ kind: "makeCodes" })}>{texts.codes.make}</Button>
          </p>
        </>
      )}
      {asked?.kind === "app" && (
        <NewApp client={client} offer={asked.offer} onAdded={(factor) => void added(factor)} onClose={close} />
      )}
      {asked?.kind === "rename" && (
        <FactorName client={client} factor={asked.factor} onSaved={list.reload} onClose={close} />
      )}
      {asked?.kind === "remove" && (
        <Question
          title={texts.removeOf(asked.factor.name)}
          lead={texts.removeConfirm}
          action={texts.removeOf(asked.factor.name)}
          messages={texts.removeProblems}
          onConfirm={async () => {
            await withPassword((proof) => client.deleteFactor({ id: asked.factor.id, ...proof }))
            await reload()
          }}
          onClose={close}
        />
      )}
      {asked?.kind === "makeCodes" && (
        <Question
          title={texts.codes.makeTitle}
          lead={texts.codes.makeConfirm}
          action={texts.codes.makeTitle}
          onConfirm={makeCodes}
          // The codes have replaced it.
          onClose={() => setAsked((now) => (now?.kind === "codes" ? now : undefined))}
        />
      )}
      {asked?.kind === "codes" && (
        <RecoveryCodes
          codes={asked.codes}
          email={email}
          onClose={() => {
            close()
            if (asked.isAdded) onAdded?.()
          }}
        />
      )}
    </Section>
  )
}
