import { phrasesIn } from "../../languages/Phrases.ts"
import type { MailTexts } from "./EnglishMails.ts"

const { counted, form } = phrasesIn("de")
const line = (text: string): string => `    ${text}`
const from = (ip: string | null): string => (ip === null ? "" : `, von der Adresse ${ip}`)

export const german: MailTexts = {
  roles: { owner: "Eigentümer", admin: "Verwalter", editor: "Bearbeiter", viewer: "Leser" },
  invitation: ({ email, inviter, role, until, url, workspace }) => [
    `${inviter || "Jemand"} lädt Sie ${workspace === "" ? "in einen Arbeitsbereich" : `zu „${workspace}“`} ein`,
    "Guten Tag,",
    `${[inviter, `<${email}>`].join(" ").trim()} lädt Sie in den Arbeitsbereich${workspace === "" ? "" : ` „${workspace}“`} ein, mit der Rolle ${role}.`,
    "Zum Annehmen diesen Link öffnen:",
    line(url),
    `Er gilt bis ${until}, und nur für Sie: Bitte nicht weitergeben.`,
    "Falls Sie nicht wissen, wer Sie eingeladen hat, ignorieren Sie diese Mail. Ohne Ihre Annahme geschieht nichts."
  ],
  passwordReset: ({ link, token, url }) => [
    "Passwort zurücksetzen",
    "Guten Tag,",
    `jemand, hoffentlich Sie, hat ein neues Passwort bei ${url} angefordert. Um es zu wählen, diesen Link öffnen:`,
    line(link),
    "Er gilt einmal, innerhalb einer Stunde. Falls Ihre App stattdessen ein Token verlangt, ist es dieses:",
    line(token),
    "Falls Sie das nicht waren, ignorieren Sie diese Mail: Ihr Passwort bleibt. Geben Sie weder den Link noch das Token weiter."
  ],
  confirmation: ({ email, link, url }) => [
    "E-Mail-Adresse bestätigen",
    "Guten Tag,",
    `ein Konto bei ${url} verwendet die E-Mail-Adresse ${email}. Falls das Konto Ihnen gehört, öffnen Sie diesen Link, um die Adresse zu bestätigen:`,
    line(link),
    "Der Link gilt sieben Tage.",
    "Falls Sie dieses Konto nicht kennen, ignorieren Sie diese Mail: Die Adresse bleibt unbestätigt."
  ],
  emailChanged: ({ at, email, url }) => [
    "Ihre E-Mail-Adresse wurde geändert",
    "Guten Tag,",
    `Ihr Konto bei ${url} hat jetzt die E-Mail-Adresse ${email}, seit ${at}. Diese Adresse erhält keine Mails mehr.`,
    "Falls Sie das waren, ist nichts zu tun.",
    "Falls nicht, kennt jemand anderes Ihr Passwort: Bitten Sie sofort den Verwalter dieses Servers um Hilfe, und ändern Sie das Passwort überall, wo Sie es sonst verwenden."
  ],
  signedIn: (name, platform) => [
    "Anmeldung auf einem neuen Gerät",
    `jemand hat sich auf einem neuen Gerät, „${name}“ (${platform}), bei Ihrem Konto angemeldet,`
  ],
  passwordChanged: ["Ihr Passwort wurde geändert", "das Passwort Ihres Kontos wurde geändert,"],
  appConnected: (name, place) => [
    "Eine neue verbundene App",
    `eine App, die sich „${name}“ nennt (${place}), wurde mit Ihrem Konto verbunden,`
  ],
  identityLinked: (name) => [
    "Ein neuer Weg, sich anzumelden",
    `die Anmeldung über „${name}“ wurde mit Ihrem Konto verbunden,`
  ],
  factorAdded: (name) => [
    "Ein neuer zweiter Faktor",
    `zu Ihrem Konto kam der Faktor „${name}“ hinzu, mit dem Sie sich anmelden,`
  ],
  factorRemoved: (name) => [
    "Ein zweiter Faktor wurde entfernt",
    `der Faktor „${name}“ wurde von Ihrem Konto entfernt,`
  ],
  factorsReset: [
    "Ihre zweiten Faktoren wurden entfernt",
    "ein Betreiber des Servers hat alle zweiten Faktoren und Wiederherstellungscodes Ihres Kontos entfernt,"
  ],
  wrongCodes: [
    "Falsche Codes für Ihr Konto",
    "jemand hat das richtige Passwort Ihres Kontos gesendet, oder hatte eine Sitzung, und drei falsche Codes des zweiten Faktors,"
  ],
  keyMade: (name, prefix) => [
    "Ein neuer API-Schlüssel",
    `mit Ihrem Konto wurde ein neuer API-Schlüssel erstellt, „${name}“, der mit ${prefix} beginnt,`
  ],
  webhookMade: (host) => ["Ein neuer Webhook", `mit Ihrem Konto wurde ein neuer Webhook an ${host} erstellt,`],
  mailsSwitchedOff: [
    "Mails über Ihr Konto wurden abgeschaltet",
    "dies ist die letzte Mail über Anmeldungen und Änderungen Ihres Kontos: Diese Mails wurden abgeschaltet,"
  ],
  security: ([subject, sentence], { at, ip, reset, url }) => [
    subject,
    "Guten Tag,",
    `${sentence} bei ${url}, am ${at}${from(ip)}.`,
    "Falls Sie das waren, ist nichts zu tun.",
    "Falls nicht, setzen Sie sofort Ihr Passwort zurück, und beenden Sie die Sitzungen, API-Schlüssel und Webhooks, die Sie nicht kennen:",
    line(reset)
  ],
  accountDeleted: ({ at, ip, url }) => [
    "Ihr Konto wurde gelöscht",
    "Guten Tag,",
    `Ihr Konto bei ${url} wurde am ${at}${from(ip)}, gelöscht. Seine Sitzungen und API-Schlüssel sind beendet, und Arbeitsbereiche ohne andere Mitglieder wurden mit gelöscht.`,
    "Falls Sie das waren, ist nichts zu tun.",
    "Falls nicht, bitten Sie den Verwalter dieses Servers innerhalb von 30 Tagen um Hilfe: Bis dahin lassen sich gelöschte Arbeitsbereiche wiederherstellen."
  ],
  reminder: ({ at, name, title, url, workspace }) => [
    `Erinnerung: ${title}`,
    `Guten Tag${name === "" ? "" : ` ${name}`},`,
    "Sie wollten an diese Notiz erinnert werden:",
    line(title),
    line(at),
    `Sie ist im Arbeitsbereich „${workspace}“ bei ${url}.`,
    "Diese Erinnerung wird nur einmal gesendet. Eine neue Zeit erinnert erneut."
  ],
  alarm: ([subject, ...paragraphs], pages) => [
    subject,
    "Guten Tag,",
    ...paragraphs,
    "Betreiber finden die Einzelheiten in der Konsole:",
    pages.map(line).join("\n"),
    "Diese Mail wird höchstens einmal am Tag gesendet, bis die Ursache behoben ist."
  ],
  backupsFail: (url, error, at) => [
    error === undefined ? "Eine Sicherung ist überfällig" : "Die letzte Sicherung ist fehlgeschlagen",
    error === undefined
      ? `keine geplante Sicherung von ${url} wurde rechtzeitig erstellt.`
      : `die letzte geplante Sicherung von ${url} ist fehlgeschlagen:`,
    ...(error === undefined ? [] : [line(error)]),
    at === undefined ? "Noch keine geplante Sicherung ist gelungen." : `Die letzte gelungene Sicherung ist vom ${at}.`,
    "Der Server versucht es erneut. Sein Log nennt die Einzelheiten, und der Befehl `sheaf backup` sichert sofort."
  ],
  drillsFail: (url, error, at) => [
    error === undefined
      ? "Eine Probe der Wiederherstellung ist überfällig"
      : "Die letzte Probe der Wiederherstellung ist fehlgeschlagen",
    error === undefined
      ? `keine geplante Probe von ${url} hat rechtzeitig eine Sicherung wiederhergestellt.`
      : `die letzte Probe der Wiederherstellung von ${url} ist fehlgeschlagen:`,
    ...(error === undefined ? [] : [line(error)]),
    at === undefined ? "Noch keine Probe ist gelungen." : `Die letzte gelungene Probe ist vom ${at}.`,
    "Bis eine Probe gelingt, ist ungewiss, ob sich eine Sicherung wiederherstellen lässt. Der Befehl `sheaf restore DATEI --drill` stellt sofort eine in einer Probedatenbank wieder her."
  ],
  diskIsLow: ({ free, host, size, url }) => [
    "Die Festplatte ist fast voll",
    `auf der Festplatte von DATA_DIR von ${url}, auf dem Rechner ${host}, sind ${free} von ${size} GiB frei.`,
    "Vergrößern Sie die Festplatte, oder löschen Sie gelöschte Arbeitsbereiche endgültig. Unter 5 % werden Uploads abgelehnt, und alles andere, wenn sie voll ist."
  ],
  diskFills: ({ days, free, host, size, url }) => [
    `Die Festplatte ist in ${days} Tagen voll`,
    `wächst das Gespeicherte wie in der letzten Woche, ist die Festplatte von DATA_DIR von ${url}, auf dem Rechner ${host}, in ${days} Tagen voll: ${free} von ${size} GiB sind frei.`,
    "Vergrößern Sie die Festplatte, oder löschen Sie gelöschte Arbeitsbereiche endgültig."
  ],
  mailsFail: (url, count) => [
    "Mails konnten nicht gesendet werden",
    `${counted(count, "Mail", "Mails")} von ${url} ${form(count, "konnte", "konnten")} am letzten Tag nicht gesendet werden.`,
    "Sehen Sie sich die Codes an, beheben Sie die Ursache, und senden Sie sie erneut."
  ],
  webhooksEnd: (url, count) => [
    "Webhooks wurden abgeschaltet",
    `${counted(count, "Webhook", "Webhooks")} von ${url} ${form(count, "wurde", "wurden")} am letzten Tag abgeschaltet: Der Endpunkt hat fünf Tage lang jede Zustellung abgelehnt, oder er besteht nicht mehr.`,
    "Die Besitzer der Arbeitsbereiche können sie wieder einschalten. Sind es viele, prüfen Sie das Netz des Servers."
  ],
  certificateEnds: (url, at) => [
    "Das Zertifikat läuft bald ab",
    `das Zertifikat von ${url} gilt bis ${at}.`,
    "Erneuern Sie es am Proxy vor dem Server."
  ],
  versionReleased: (url, released, running) => [
    `Version ${released} ist verfügbar`,
    `auf ${url} läuft Version ${running}, und Version ${released} ist erschienen.`
  ],
  checksFail: (url, checks) => [
    "Eine Prüfung hat Fehler gefunden",
    `die letzte Prüfung von ${url} hat Fehler gefunden: ${checks}.`,
    "Für jeden Fehler gibt es eine Abhilfe."
  ],
  versionsDiffer: (url, versions) => [
    "Die Knoten haben verschiedene Versionen",
    `die Knoten von ${url} haben seit einer Stunde verschiedene Versionen: ${versions}.`,
    "Schließen Sie die Aktualisierung ab."
  ],
  test: (url) => ["Testmail", "Guten Tag,", `ein Betreiber von ${url} hat diese Mail gesendet. Mails kommen an.`]
}
