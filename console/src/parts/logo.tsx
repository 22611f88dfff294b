// The mark of the product.
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#3b4cca" />
      <path d="M7 25V14.5L16 7l9 7.5V25h-5.2v-7.2a3.8 3.8 0 0 0-7.6 0V25z" fill="#fff" />
    </svg>
  )
}
