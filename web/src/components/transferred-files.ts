import { showToast } from './toast-store.ts'

/** The files of a drop or paste. Folders are left out, and the user is told. */
export function filesIn(transfer: DataTransfer): File[] {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file')
  const isFolder = (item: DataTransferItem) => item.webkitGetAsEntry?.()?.isDirectory === true
  if (items.some(isFolder)) showToast({ tone: 'danger', message: 'Folders cannot be added. Drop the files in them.' })
  return items.filter((item) => !isFolder(item)).flatMap((item) => item.getAsFile() ?? [])
}
