import { createContext, useContext } from 'react'

/** Whether a filter may depend on its reader: periods and "me". The filters of lists may, others are for the API. */
export const RelativeContext = createContext(true)

export function useMayBeRelative(): boolean {
  return useContext(RelativeContext)
}
