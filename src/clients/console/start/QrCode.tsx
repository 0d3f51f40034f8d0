import { encode } from "uqr"

interface QrCodeProps {
  readonly text: string
  /** The text for screen readers. */
  readonly label: string
}

/** Light modules around the code, which readers need (ISO 18004). */
const quietZone = 4

/** A text as a QR code: dark on light in both colour schemes, because many readers cannot read it the other way round. */
export const QrCode = ({ label, text }: QrCodeProps) => {
  const { data, size } = encode(text, { border: quietZone, ecc: "M" })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("")
  return (
    <svg class="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
