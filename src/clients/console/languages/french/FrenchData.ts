import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted } = phrasesIn("fr")

export const transfers: Translation["settings"]["transfers"] = {
  importTitle: "Importation",
  imports: "Importations",
  unnamed: "Un fichier sans nom",
  notesOf: (imported, updated, skipped) =>
    [
      counted(imported, "nouvelle", "nouvelles"),
      ...(updated > 0 ? [counted(updated, "mise à jour", "mises à jour")] : []),
      ...(skipped > 0 ? [counted(skipped, "ignorée", "ignorées")] : [])
    ].join(", "),
  noImports: "Rien n’a été importé.",
  noFile: "attend son fichier",
  statuses: { queued: "en attente", running: "en cours", done: "terminée", ready: "prête", failed: "échouée" },
  exportTitle: "Exportation",
  exportLead: "Un fichier ZIP avec les notes telles qu’elles sont à un moment, sans la corbeille.",
  exports: "Exportations",
  scope: "Contenu",
  scopes: { workspace: "Tout l’espace de travail", notebook: "Un carnet avec ceux qu’il contient" },
  gone: "un carnet supprimé",
  format: "Format",
  formats: { markdown: "Fichiers Markdown", json: "JSON, qu’une importation relit sans perte" },
  formatNames: { markdown: "Markdown", json: "JSON" },
  attachments: "Avec les fichiers des notes",
  submit: "Créer l’exportation",
  noExports: "Aucune exportation.",
  kept: "Les cinq dernières sont conservées, chacune pendant sept jours.",
  downloadOf: (when) => `Télécharger l’exportation du ${when}`
}

export const usage: Translation["settings"]["usage"] = {
  lead: (plan, until) => `Offre ${plan}. Le compte des requêtes recommence le ${until}.`,
  unlimited: (used) => `${used}, sans limite`,
  full: "plein",
  meters: {
    storage: "Textes et fichiers",
    templates: "Modèles",
    shares: "Liens"
  },
  limits: "Limites",
  limit: "Limite",
  value: "Au plus",
  limitNames: {
    requests_per_minute: "Requêtes par minute, pour chaque session et clé",
    attachment_bytes: "Taille d’un fichier",
    api_keys: "Clés d’API d’un utilisateur",
    devices: "Appareils d’un utilisateur",
    invitations: "Invitations en attente",
    invitations_per_hour: "Invitations d’un utilisateur par heure",
    invitations_per_day: "Invitations d’un utilisateur par jour",
    audit_days: "Jours pendant lesquels le journal d’audit est conservé"
  },
  noLimit: "sans limite",
  requests: "Requêtes",
  requestsLead: (count) => `${count} ce mois-ci, par jour (UTC).`,
  day: "Jour",
  noDays: "Aucune requête."
}

export const audit: Translation["settings"]["audit"] = {
  title: "Entrées",
  lead: "Sécurité : connexions, clés, rôles, liens, exportations. Les entrées ne changent jamais.",
  anyone: "Toutes",
  server: "le serveur",
  from: "Du",
  to: "Au",
  apply: "Filtrer",
  none: "Aucune entrée ne correspond.",
  program: "Programme",
  undo: "Annuler ces modifications",
  save: "Enregistrer dans un fichier",
  saveLead: "Toutes les entrées qui correspondent au filtre.",
  reading: (count) => `Lecture : ${counted(count, "entrée", "entrées")}…`,
  saved: (count) => `${counted(count, "entrée enregistrée", "entrées enregistrées")}.`,
  limited: (most) =>
    `Les ${most} entrées les plus récentes sont enregistrées. Filtrez par date pour obtenir les autres.`
}
