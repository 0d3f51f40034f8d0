import { type Language, languageOf } from "../../../../../services/languages/Language.ts"
import { translation } from "../../ChosenLanguage.ts"

/** The text of this page in all languages: it is loaded with the page, not with the texts of the console. */
const leads: Readonly<Record<Language, (key: string) => string>> = {
  en: (key) =>
    `The last 1000 requests with the key “${key}”, also refused ones, without their bodies. The operator of the server can switch this off.`,
  de: (key) =>
    `Die letzten 1000 Anfragen mit dem Schlüssel „${key}“, auch abgewiesene, ohne ihren Inhalt. Der Betreiber des Servers kann dies ausschalten.`,
  fr: (key) =>
    `Les 1000 dernières requêtes avec la clé « ${key} », même refusées, sans leur contenu. L’opérateur du serveur peut désactiver cette liste.`,
  es: (key) =>
    `Las últimas 1000 solicitudes con la clave «${key}», también las rechazadas, sin su contenido. El operador del servidor puede desactivar esta lista.`,
  zh: (key) => `使用密钥“${key}”的最近 1000 个请求，包括被拒绝的，不含正文。服务器管理员可以关闭此列表。`
}

export const leadOf = leads[languageOf(translation?.lang ?? "en") ?? "en"]
