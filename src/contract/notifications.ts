// Kinds of notification, as an area declares them under `notifies`: each is a row in everybody's settings.

export type NotificationType = {
  /** Its row in the settings, as the reader would say it: "An issue is assigned to me". */
  title: string
  /** What happened, with `{actor}`, `{workspace}`, `{target}` and names of facts to be filled in, and no full stop. */
  text: string
  /**
   * It reaches people who are no members, or no longer. They are told what the workspace was called then, and
   * neither who acted nor what it is about.
   */
  outside?: true
  /** Where it is dealt with, below the pages of the workspace in the console, where it is about no record. */
  page?: string
  /** The area sends the mail itself, because there is more in it than the text. */
  ownMail?: true
}

const places = /\{(\w+)\}/g

/** The words of a text and the names between them, which stand at the odd places. */
export function partsOf(text: string): string[] {
  return text.split(places)
}

export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(places, (_, name: string) => values[name] ?? '…')
}
