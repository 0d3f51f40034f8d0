import type { Schemas } from "../../../client/SheafClient.ts"
import { texts } from "../SettingsMessages.ts"

/** JSON with line breaks; other text unchanged. */
const readable = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // It is another format, or was cut off.
    return text
  }
}

interface MessageProps {
  readonly title: string
  readonly first: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** A part of a message, which scrolls by itself. */
const Part = ({ label, name, text }: { readonly name: string; readonly label: string; readonly text: string }) =>
  text === "" ? null : (
    <>
      <p class="hint">{name}</p>
      <pre class="code" tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
    </>
  )

const Message = ({ body, first, headers, title }: MessageProps) => (
  <div>
    <h3>{title}</h3>
    <p>{first}</p>
    <Part
      name={texts.deliveries.headers}
      label={`${title}: ${texts.deliveries.headers}`}
      text={Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join("\n")}
    />
    <Part
      name={texts.deliveries.body}
      label={`${title}: ${texts.deliveries.body}`}
      text={body === null ? texts.deliveries.erased : readable(body)}
    />
  </div>
)

/** The request and the response of an attempt. */
export const DeliveryDetail = ({
  delivery: { error, request, response, status_code }
}: {
  readonly delivery: Schemas["Delivery"]
}) => (
  <>
    {error !== null && (
      <p class="error">
        {texts.deliveries.error}: {error}
      </p>
    )}
    <div class="detail-parts">
      {request === null ? (
        <p>{texts.deliveries.noRequest}</p>
      ) : (
        <Message
          title={texts.deliveries.request}
          first={`POST ${request.url}`}
          headers={request.headers}
          body={request.body}
        />
      )}
      {response === null ? (
        <p>{texts.deliveries.noResponse}</p>
      ) : (
        <Message
          title={texts.deliveries.response}
          first={String(status_code)}
          headers={response.headers}
          body={response.body}
        />
      )}
    </div>
  </>
)
