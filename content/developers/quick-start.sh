# 1. Your accounts, and the boards of one of them
curl -s "$API_URL/accounts" -H "Authorization: Bearer $API_KEY"
curl -s "$API_URL/accounts/$ACCOUNT_ID/boards" -H "Authorization: Bearer $API_KEY"

# 2. Generate drafts from keywords; each costs credits, and failed ones are returned
curl -s "$API_URL/generations" \
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \
  -H "Idempotency-Key: fall-2027" \
  -d '{"account_id": "'"$ACCOUNT_ID"'", "board_id": "'"$BOARD_ID"'", "quality": "standard",
       "keywords": [{"keyword": "small balcony garden"}]}'

# 3. The drafts, newest first
curl -s "$API_URL/pins?account_id=$ACCOUNT_ID&status=draft" -H "Authorization: Bearer $API_KEY"
