import { phrasesIn } from "../../languages/Phrases.ts"
import type { MailTexts } from "./EnglishMails.ts"

const { counted, form } = phrasesIn("fr")
const line = (text: string): string => `    ${text}`
const from = (ip: string | null): string => (ip === null ? "" : `, depuis l’adresse ${ip}`)

export const french: MailTexts = {
  roles: { owner: "propriétaire", admin: "administrateur", editor: "éditeur", viewer: "lecteur" },
  invitation: ({ email, inviter, role, until, url, workspace }) => [
    `${inviter || "Quelqu’un"} vous invite dans ${workspace === "" ? "un espace de travail" : `« ${workspace} »`}`,
    "Bonjour,",
    `${[inviter, `<${email}>`].join(" ").trim()} vous invite dans l’espace de travail${workspace === "" ? "" : ` « ${workspace} »`}, avec le rôle ${role}.`,
    "Pour accepter, ouvrez ce lien :",
    line(url),
    `Il est valable jusqu’au ${until}, et seulement pour vous : ne le transmettez pas.`,
    "Si vous ne savez pas qui vous a invité, ignorez cet e-mail. Rien ne se passe sans votre accord."
  ],
  passwordReset: ({ link, token, url }) => [
    "Réinitialiser votre mot de passe",
    "Bonjour,",
    `quelqu’un, sans doute vous, a demandé un nouveau mot de passe sur ${url}. Pour le choisir, ouvrez ce lien :`,
    line(link),
    "Il fonctionne une fois, pendant une heure. Si votre application demande plutôt un jeton, donnez-lui celui-ci :",
    line(token),
    "Si ce n’était pas vous, ignorez cet e-mail : votre mot de passe reste le même. Ne partagez ni le lien ni le jeton."
  ],
  confirmation: ({ email, link, url }) => [
    "Confirmez votre adresse e-mail",
    "Bonjour,",
    `un compte sur ${url} utilise l’adresse e-mail ${email}. Si ce compte est le vôtre, ouvrez ce lien pour confirmer l’adresse :`,
    line(link),
    "Le lien fonctionne pendant sept jours.",
    "Si vous ne connaissez pas ce compte, ignorez cet e-mail : l’adresse reste non confirmée."
  ],
  emailChanged: ({ at, email, url }) => [
    "Votre adresse e-mail a été changée",
    "Bonjour,",
    `votre compte sur ${url} a maintenant l’adresse e-mail ${email}, depuis le ${at}. Cette adresse ne reçoit plus d’e-mails.`,
    "Si c’était vous, il n’y a rien à faire.",
    "Sinon, une autre personne connaît votre mot de passe : demandez tout de suite de l’aide à l’administrateur de ce serveur, et changez le mot de passe partout où vous l’utilisez."
  ],
  signedIn: (name, platform) => [
    "Connexion sur un nouvel appareil",
    `quelqu’un s’est connecté à votre compte sur un nouvel appareil, « ${name} » (${platform}),`
  ],
  passwordChanged: ["Votre mot de passe a été changé", "le mot de passe de votre compte a été changé"],
  appConnected: (name, place) => [
    "Une nouvelle application connectée",
    `une application qui se nomme « ${name} » (${place}) a été connectée à votre compte`
  ],
  identityLinked: (name) => [
    "Une nouvelle façon de se connecter",
    `la connexion par « ${name} » a été associée à votre compte`
  ],
  factorAdded: (name) => [
    "Un nouveau second facteur",
    `le facteur « ${name} », avec lequel vous vous connectez, a été ajouté à votre compte`
  ],
  factorRemoved: (name) => ["Un second facteur a été retiré", `le facteur « ${name} » a été retiré de votre compte`],
  factorsReset: [
    "Vos seconds facteurs ont été retirés",
    "un opérateur du serveur a retiré tous les seconds facteurs et codes de secours de votre compte"
  ],
  wrongCodes: [
    "Des codes erronés pour votre compte",
    "quelqu’un a envoyé le bon mot de passe de votre compte, ou avait une session, et trois codes erronés du second facteur"
  ],
  keyMade: (name, prefix) => [
    "Une nouvelle clé d’API",
    `une nouvelle clé d’API, « ${name} », qui commence par ${prefix}, a été créée avec votre compte`
  ],
  webhookMade: (host) => ["Un nouveau webhook", `un nouveau webhook vers ${host} a été créé avec votre compte`],
  mailsSwitchedOff: [
    "Les e-mails sur votre compte ont été désactivés",
    "ceci est le dernier e-mail sur les connexions et les changements de votre compte : ces e-mails ont été désactivés"
  ],
  security: ([subject, sentence], { at, ip, reset, url }) => [
    subject,
    "Bonjour,",
    `${sentence} sur ${url}, le ${at}${from(ip)}.`,
    "Si c’était vous, il n’y a rien à faire.",
    "Sinon, réinitialisez tout de suite votre mot de passe, et terminez les sessions, applications connectées, clés d’API et webhooks que vous ne connaissez pas :",
    line(reset)
  ],
  accountDeleted: ({ at, ip, url }) => [
    "Votre compte a été supprimé",
    "Bonjour,",
    `votre compte sur ${url} a été supprimé le ${at}${from(ip)}. Ses sessions et ses clés d’API ont pris fin, et les espaces de travail sans autres membres ont été supprimés avec lui.`,
    "Si c’était vous, il n’y a rien à faire.",
    "Sinon, demandez de l’aide à l’administrateur de ce serveur dans les 30 jours : jusque-là, les espaces de travail supprimés peuvent être restaurés."
  ],
  reminder: ({ at, name, title, url, workspace }) => [
    `Rappel : ${title}`,
    `Bonjour${name === "" ? "" : ` ${name}`},`,
    "vous avez demandé un rappel de cette note :",
    line(title),
    line(at),
    `Elle est dans l’espace de travail « ${workspace} » sur ${url}.`,
    "Ce rappel n’est envoyé qu’une fois. Choisissez une nouvelle heure pour un autre rappel."
  ],
  alarm: ([subject, ...paragraphs], pages) => [
    subject,
    "Bonjour,",
    ...paragraphs,
    "Les opérateurs trouvent les détails dans la console :",
    pages.map(line).join("\n"),
    "Cet e-mail est envoyé au plus une fois par jour, jusqu’à ce que la cause ait disparu."
  ],
  backupsFail: (url, error, at) => [
    error === undefined ? "Une sauvegarde est en retard" : "La dernière sauvegarde a échoué",
    error === undefined
      ? `aucune sauvegarde prévue de ${url} n’a été faite à temps.`
      : `la dernière sauvegarde prévue de ${url} a échoué :`,
    ...(error === undefined ? [] : [line(error)]),
    at === undefined ? "Aucune sauvegarde prévue n’a encore réussi." : `La dernière sauvegarde réussie date du ${at}.`,
    "Le serveur réessaie. Son journal donne les détails, et la commande `sheaf backup` fait une sauvegarde immédiate."
  ],
  drillsFail: (url, error, at) => [
    error === undefined ? "Un essai de restauration est en retard" : "Le dernier essai de restauration a échoué",
    error === undefined
      ? `aucun essai prévu de ${url} n’a restauré une sauvegarde à temps.`
      : `le dernier essai de restauration de ${url} a échoué :`,
    ...(error === undefined ? [] : [line(error)]),
    at === undefined ? "Aucun essai n’a encore réussi." : `Le dernier essai réussi date du ${at}.`,
    "Tant qu’aucun essai ne réussit, il n’est pas certain qu’une sauvegarde puisse être restaurée. La commande `sheaf restore FICHIER --drill` en restaure une immédiatement dans une base d’essai."
  ],
  diskIsLow: ({ free, host, size, url }) => [
    "Le disque est presque plein",
    `${free} Gio sur ${size} sont libres sur le disque de DATA_DIR de ${url}, sur la machine ${host}.`,
    "Agrandissez le disque, ou effacez des espaces de travail supprimés. Les envois de fichiers sont refusés au-dessous de 5 %, et toutes les autres écritures quand il est plein."
  ],
  diskFills: ({ days, free, host, size, url }) => [
    `Le disque sera plein dans ${days} jours`,
    `si les données augmentent comme la semaine dernière, le disque de DATA_DIR de ${url}, sur la machine ${host}, sera plein dans ${days} jours : ${free} Gio sur ${size} sont libres.`,
    "Agrandissez le disque, ou effacez des espaces de travail supprimés."
  ],
  mailsFail: (url, count) => [
    "Des e-mails n’ont pas pu être envoyés",
    `${counted(count, "e-mail", "e-mails")} de ${url} ${form(count, "n’a pas pu être envoyé", "n’ont pas pu être envoyés")} au cours du dernier jour.`,
    "Regardez leurs codes, supprimez la cause, et renvoyez-les."
  ],
  webhooksEnd: (url, count) => [
    "Des webhooks ont été désactivés",
    `${counted(count, "webhook", "webhooks")} de ${url} ${form(count, "a été désactivé", "ont été désactivés")} au cours du dernier jour : le point de terminaison a refusé toutes les livraisons pendant cinq jours, ou n’existe plus.`,
    "Les propriétaires des espaces de travail peuvent les réactiver. S’ils sont nombreux, vérifiez le réseau du serveur."
  ],
  certificateEnds: (url, at) => [
    "Le certificat expire bientôt",
    `le certificat de ${url} est valable jusqu’au ${at}.`,
    "Renouvelez-le sur le proxy devant le serveur."
  ],
  versionReleased: (url, released, running) => [
    `La version ${released} est disponible`,
    `${url} utilise la version ${running}, et la version ${released} est parue.`
  ],
  checksFail: (url, checks) => [
    "Une vérification a trouvé des défauts",
    `la dernière vérification de ${url} a trouvé des défauts : ${checks}.`,
    "Chaque défaut a un remède."
  ],
  versionsDiffer: (url, versions) => [
    "Les nœuds ont plusieurs versions",
    `les nœuds de ${url} ont plusieurs versions depuis une heure : ${versions}.`,
    "Terminez la mise à niveau."
  ],
  test: (url) => ["E-mail de test", "Bonjour,", `un opérateur de ${url} a envoyé cet e-mail. Les e-mails arrivent.`]
}
