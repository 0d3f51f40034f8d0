import "../SharedParts.ts"
import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { pageAddress } from "../Navigation.ts"
import { Button } from "../ui/Button.tsx"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { Failure } from "../ui/Failure.tsx"
import { withPassword } from "../ui/PasswordRequest.tsx"
import { Question } from "../ui/Question.tsx"
import { Secret } from "../ui/Secret.tsx"
import { Section } from "../ui/Section.tsx"
import { useAction } from "../ui/useAction.ts"
import { usePages } from "../ui/tables/usePages.ts"
import { KeyForm } from "./KeyForm.tsx"
import { actionColumn, dateOrNever } from "../ui/tables/TableColumns.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { RequestsPage } from "./requests/RequestsPage.tsx"
import { reachedBy } from "./Reach.tsx"
import { texts } from "./SettingsMessages.ts"
import type { SettingsProps } from "./SettingsProps.ts"

type Key = Schemas["ApiKey"]

const isEnded = ({ expires_at }: Key): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now()

const KeyList = ({ store }: Pick<SettingsProps, "store">) => {
  const { client } = store
  const list = usePages((page) => client.listApiKeys(page), [client])
  const [made, setMade] = useState<Schemas["ApiKeyWithSecret"]>()
  const [revoked, setRevoked] = useState<Key>()
  const { failure, run } = useAction()
  const show = async (key: Schemas["ApiKeyWithSecret"]) => {
    setMade(key)
    await list.reload()
  }
  const rotate = ({ id }: Key) =>
    run(async () => show(await withPassword((password) => client.rotateApiKey({ id, ...password }))))
  const until = made?.previous_secret_expires_at ?? null
  return (
    <>
      {made !== undefined && (
        <Secret
          label={texts.keys.secret(made.name)}
          hint={[texts.keys.secretHint, ...(until === null ? [] : [texts.keys.rotated(longDate(until))])].join(" ")}
          value={made.secret}
          onDone={() => setMade(undefined)}
        />
      )}
      <Section title={texts.keys.title} lead={texts.keys.lead}>
        <Failure failure={failure} messages={texts.keys.problems} />
        <DataTable
          label={texts.keys.title}
          empty={texts.keys.none}
          list={list}
          keyOf={({ id }) => id}
          columns={[
            {
              label: words.name,
              of: (key) => (
                <>
                  {key.name} {isEnded(key) && <span class="badge failed">{texts.keys.isEnded}</span>}
                </>
              )
            },
            { label: texts.keys.begins, of: ({ prefix }) => prefix },
            {
              label: texts.keys.scopes,
              // Another column would not fit.
              of: ({ notebooks, scopes }) => (
                <>
                  {scopes.join(", ")}
                  <p class="hint">
                    {texts.reach.title}: {reachedBy(store, notebooks, scopes)}
                  </p>
                </>
              )
            },
            { label: words.lastUsed, of: ({ last_used_at }) => dateOrNever(last_used_at) },
            { label: texts.ends, of: ({ expires_at }) => dateOrNever(expires_at) },
            actionColumn((key: Key) => (
              <div class="buttons">
                <a href={pageAddress("settings", "keys", key.id)} aria-label={`${texts.usage.requests}: ${key.name}`}>
                  {texts.usage.requests}
                </a>
                {!isEnded(key) && (
                  <>
                    <Button isOnce label={texts.keys.rotateOf(key.name)} onClick={() => void rotate(key)}>
                      {texts.keys.rotate}
                    </Button>
                    <Button label={texts.keys.revokeOf(key.name)} onClick={() => setRevoked(key)}>
                      {texts.keys.revoke}
                    </Button>
                  </>
                )}
              </div>
            ))
          ]}
        />
      </Section>
      {/* Another secret would replace one that is not copied yet. */}
      {made === undefined && <KeyForm store={store} onMade={show} />}
      {revoked !== undefined && (
        <Question
          title={texts.keys.revokeOf(revoked.name)}
          lead={texts.keys.revokeConfirm}
          action={texts.keys.revokeButton}
          onConfirm={async () => {
            await client.deleteApiKey({ id: revoked.id })
            await list.reload()
          }}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </>
  )
}

/** The API keys that the user may see, or the last requests of one. */
export const KeysPage = ({ id, store }: SettingsProps) =>
  id === undefined ? <KeyList store={store} /> : <RequestsPage store={store} id={id} />
