/**
 * What modules that are loaded on demand share: all of the first page, which is there already, and small parts. Each of these
 * modules imports it. Then both are one file each; otherwise they would be many small files, which take more bytes and more
 * requests.
 */
import "./App.tsx"
import "./LocalTime.ts"
import "./properties/PropertyNames.ts"
import "./style/adoptStyle.ts"
import "./ui/copyText.ts"
import "./ui/Failure.tsx"
import "./ui/saveFile.ts"
import "./ui/Select.tsx"
import "./ui/Submit.tsx"
import "./ui/tables/usePages.ts"
import "./ui/useAction.ts"
import "./ui/useReading.ts"
