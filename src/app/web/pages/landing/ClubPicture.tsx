import { t } from '#app/web/pages/landing/messages.ts';
const people = [
  { x: 240, y: 38, fill: 'fill-[#c98a1b]', initial: 'A' },
  { x: 383, y: 108, fill: 'fill-[#2f5fae]', initial: 'J' },
  { x: 417, y: 264, fill: 'fill-[#a13458]', initial: 'M' },
  { x: 314, y: 386, fill: 'fill-[#4c6a1c]', initial: 'O' },
  { x: 155, y: 381, fill: 'fill-[#5b50b0]', initial: 'S' },
  { x: 61, y: 252, fill: 'fill-[#94421f]', initial: 'T' },
  { x: 105, y: 98, fill: 'fill-[#1f6a85]', initial: 'K' },
];

/** Club members around an event card. */
export function ClubPicture({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 480 440" role="img" aria-label={t('clubPicture')} className={className}>
      <circle cx="240" cy="220" r="182" className="fill-accent-soft" />
      <circle
        cx="240"
        cy="220"
        r="182"
        strokeWidth="2"
        strokeDasharray="3 9"
        strokeLinecap="round"
        className="fill-none stroke-accent opacity-60"
      />
      {people.map(({ x, y, fill, initial }) => (
        <g key={initial}>
          <circle cx={x} cy={y} r="29" strokeWidth="5" className={`stroke-bg ${fill}`} />
          <text x={x} y={y + 7} textAnchor="middle" className="fill-white text-[20px] font-bold">
            {initial}
          </text>
        </g>
      ))}
      <g className="drop-shadow-md">
        <rect x="122" y="142" width="236" height="156" rx="20" className="fill-raised" />
      </g>
      <text x="144" y="176" className="fill-accent text-[14px] font-bold">
        {t('clubEveningTime')}
      </text>
      <text x="144" y="205" className="fill-ink text-[23px] font-extrabold">
        {t('clubEvening')}
      </text>
      <text x="144" y="229" className="fill-muted text-[15px]">
        {t('clubEveningReplies')}
      </text>
      <rect x="144" y="247" width="192" height="32" rx="10" className="fill-accent" />
      <path
        d="m190 263 5 5 9-10"
        strokeWidth="2.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="fill-none stroke-accent-ink"
      />
      <text x="213" y="268" className="fill-accent-ink text-[15px] font-bold">
        {t('attending')}
      </text>
    </svg>
  );
}
