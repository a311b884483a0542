import { Header } from '../../shell/header.tsx'

export function Duplicates() {
  return <Header title="Duplicates" />
}
