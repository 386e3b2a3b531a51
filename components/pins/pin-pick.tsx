type PinPickProps = {
  /** Place in the order of publishing, from 1; undefined while not chosen. */
  place?: number;
  /** Names the pin: 'Select Slow Sunday bread'. */
  label: string;
  /** `isRange`: the Shift key was held. */
  onToggle: (isRange: boolean) => void;
};

/** A checkbox changes by a click, also by that of a key; TypeScript knows only the change. */
const hasShift = (event: Event): boolean => "shiftKey" in event && event.shiftKey === true;

/** The disc half off a draft's corner. Chosen, it shows the pin's place in the order. Only drafts have it (R-POST-09). */
export function PinPick({ place, label, onToggle }: PinPickProps) {
  return (
    <label className="pin-pick num">
      <input
        type="checkbox"
        checked={place !== undefined}
        aria-label={place === undefined ? label : `${label}, chosen as number ${place}`}
        onChange={({ nativeEvent }) => onToggle(hasShift(nativeEvent))}
      />
      <span aria-hidden="true">{place}</span>
    </label>
  );
}
