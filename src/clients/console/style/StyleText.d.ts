/** A style that is imported as a text. */
declare module "*.css" {
  const text: string
  export default text
}
