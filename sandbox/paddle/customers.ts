import type { Paddle } from "./context.ts";
import type { Edit } from "./edit.ts";
import type { Address, Customer } from "./model.ts";
import { newId } from "./new-id.ts";
import { conflict, entityNotFound } from "./refusals.ts";

/** @throws RefusedError 404. */
export function findCustomer({ store }: Paddle, id = ""): Customer {
  const customer = store.state.customers.get(id);
  if (customer === undefined) throw entityNotFound("customer", id);
  return customer;
}

/** The customer with this address, in any case. */
export function customerByEmail({ store }: Paddle, email: string): Customer | undefined {
  const wanted = email.trim().toLowerCase();
  const customer = store.state.customers.get(store.state.byEmail.get(wanted) ?? "");
  return customer?.email.toLowerCase() === wanted ? customer : undefined;
}

/** A new customer. @throws RefusedError 409 when the address has one already. */
export function createCustomer(
  paddle: Paddle,
  one: Edit,
  body: Pick<Customer, "email"> & Partial<Pick<Customer, "name" | "locale" | "custom_data">>,
): Customer {
  const known = customerByEmail(paddle, body.email);
  if (known !== undefined) {
    const detail = `customer email conflicts with customer of id ${known.id}`;
    throw conflict("customer_already_exists", detail, "customers");
  }
  const created_at = one.stamp();
  const customer: Customer = {
    name: null,
    locale: "en",
    custom_data: null,
    status: "active",
    marketing_consent: false,
    import_meta: null,
    created_at,
    updated_at: created_at,
    ...body,
    id: newId("ctm", one.at),
  };
  return one.save("customers", customer, "customer.created");
}

/** A new address of a customer. */
export function createAddress(
  one: Edit,
  customerId: string,
  body: Pick<Address, "country_code"> & Partial<Omit<Address, "id" | "customer_id">>,
): Address {
  const created_at = one.stamp();
  const address: Address = {
    description: null,
    first_line: null,
    second_line: null,
    city: null,
    postal_code: null,
    region: null,
    status: "active",
    custom_data: null,
    import_meta: null,
    created_at,
    updated_at: created_at,
    ...body,
    customer_id: customerId,
    id: newId("add", one.at),
  };
  return one.save("addresses", address, "address.created");
}
