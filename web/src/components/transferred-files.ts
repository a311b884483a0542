import { showToast } from './toast-store.ts'

/** The files of a drop or paste. Folders are left out, and the user is told. */
export function filesIn(transfer: DataTransfer): File[] {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file')
  const isFolder = (item: DataTransferItem) => item.webkitGetAsEntry?.()?.isDirectory === true
  if (items.some(isFolder)) showToast({ tone: 'danger', message: 'Folders cannot be added. Drop the files in them.' })
  return items.filter((item) => !isFolder(item)).flatMap((item) => item.getAsFile() ?? [])
}

/** The files of a paste. Texts of spreadsheets and word processors come with a picture of them, which is left out. */
export function pastedFiles(transfer: DataTransfer): File[] {
  const { types } = transfer
  return types.includes('text/plain') && types.includes('text/html') ? [] : filesIn(transfer)
}
