import { useEffect } from 'react'

const PRODUCT = 'Kith'

/** Names the browser's tab and the entry in its history. Without a name it is the product alone. */
export function usePageTitle(name: string | undefined): void {
  useEffect(() => {
    document.title = name === undefined || name === '' ? PRODUCT : `${name} · ${PRODUCT}`
  }, [name])
}
