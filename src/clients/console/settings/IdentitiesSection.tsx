import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { providers } from "../PageData.ts"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/Failure.tsx"
import { withPassword } from "../ui/PasswordRequest.tsx"
import { Question } from "../ui/Question.tsx"
import { Section } from "../ui/Section.tsx"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { usePages } from "../ui/tables/usePages.ts"
import { useAction } from "../ui/useAction.ts"
import { actionColumn, dateOrNever } from "../ui/tables/TableColumns.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./SettingsMessages.ts"
import type { SettingsProps } from "./SettingsProps.ts"

type Identity = Schemas["UserIdentity"]

const nameOf = ({ issuer }: Identity): string => providers.find((each) => each.issuer === issuer)?.name ?? issuer

/** The providers by which the user signs in. The browser leaves the page to connect one, and comes back. */
export const IdentitiesSection = ({ store: { client } }: Pick<SettingsProps, "store">) => {
  const list = usePages((page) => client.listUserIdentities(page), [client])
  const [ending, setEnding] = useState<Identity>()
  const { failure, run } = useAction()
  const connect = async (provider: number) => {
    const { redirect_url } = await withPassword((password) => client.connectUserIdentity({ provider, ...password }))
    location.assign(redirect_url)
  }
  return (
    <Section title={texts.account.identities} lead={texts.account.identitiesLead}>
      <Failure failure={failure} />
      <DataTable
        label={texts.account.identities}
        empty={texts.account.noIdentity}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { label: texts.account.provider, of: nameOf },
          { label: words.email, of: ({ email }) => email ?? texts.unknown },
          { label: texts.account.lastUsed, of: ({ last_sign_in_at }) => dateOrNever(last_sign_in_at) },
          actionColumn((identity: Identity) => (
            <Button label={texts.account.disconnectOf(nameOf(identity))} onClick={() => setEnding(identity)}>
              {texts.account.disconnect}
            </Button>
          ))
        ]}
      />
      <p class="actions start">
        {providers.map(({ name, number }) => (
          <Button key={number} onClick={() => void run(() => connect(number))}>
            {texts.account.connect(name)}
          </Button>
        ))}
      </p>
      {ending !== undefined && (
        <Question
          title={texts.account.disconnectOf(nameOf(ending))}
          lead={texts.account.disconnectConfirm}
          action={texts.account.disconnectButton}
          messages={texts.account.disconnectProblems}
          onConfirm={async () => {
            await client.deleteUserIdentity({ id: ending.id })
            await list.reload()
          }}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Section>
  )
}
