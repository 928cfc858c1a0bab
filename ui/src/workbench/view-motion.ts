/** Whether the canvas is being panned right now. Work that can wait until it stands still asks here. */

let moving = false;

export function isViewMoving(): boolean {
  return moving;
}

export function setViewMoving(value: boolean): void {
  moving = value;
}
