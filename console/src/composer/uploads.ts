// Files on their way into a text: a note stands in their place until the service has them.
import { useState } from 'react'

type Upload = ((file: File) => Promise<string>) | undefined

/** `onReplace` puts the file's own text in the place of its note. */
export function useUploads(upload: Upload, onReplace: (note: string, by: string) => void) {
  const [busy, setBusy] = useState(0)
  const [error, setError] = useState<unknown>(null)
  const take = async (file: File, insert: (note: string) => void) => {
    if (!upload) return
    const note = `[${file.name.replace(/[[\]]/g, '')} is on its way…]`
    insert(note)
    setBusy(before => before + 1)
    setError(null)
    try {
      onReplace(note, await upload(file))
    } catch (failure) {
      onReplace(note, '')
      setError(failure)
    }
    setBusy(before => before - 1)
  }
  return {
    isBusy: busy > 0,
    error,
    add: (files: readonly File[], insert: (note: string) => void) => {
      for (const file of files) void take(file, insert)
    },
    /** Asks the person for files. */
    choose: (add: (files: FileList | null) => void) => {
      const input = document.createElement('input')
      input.type = 'file'
      input.multiple = true
      input.onchange = () => add(input.files)
      input.click()
    },
  }
}
